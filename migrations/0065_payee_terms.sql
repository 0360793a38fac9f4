-- The terms of an order name each part of its check, so that the verification notices either.
create or replace view standing_order_terms as
select o.id, o.version, o.reference, b.name as payee_name, coalesce(b.iban, p.iban) as payee_iban,
  jsonb_build_object(
    'accountId', o.account_id,
    'beneficiaryId', o.beneficiary_id,
    'toAccountId', o.to_account_id,
    -- Minor units, as text: a JSON number would lose digits.
    'amount', o.amount::text,
    'currency', a.currency,
    'rhythm', o.rhythm,
    'firstOn', o.first_on,
    'lastOn', o.last_on,
    'retryDays', o.retry_days,
    'status', o.status,
    'pausedBecause', o.paused_because,
    'nextOn', o.next_on,
    'makerId', o.maker_id,
    'callerId', o.caller_id,
    'sessionId', o.session_id,
    'isProgram', o.is_program,
    -- Milliseconds since the epoch: a time as text would depend on the zone of the connection.
    'createdAt', (extract(epoch from o.created_at) * 1000)::int8
  ) || case when num_nonnulls(o.payee_result, o.payee_accepted) = 0 then '{}'::jsonb else jsonb_build_object(
    'payeeResult', o.payee_result,
    'payeeAccepted', o.payee_accepted
  ) end as terms
from standing_orders o
join accounts a on a.id = o.account_id
left join beneficiaries b on b.id = o.beneficiary_id
left join accounts p on p.id = o.to_account_id;
