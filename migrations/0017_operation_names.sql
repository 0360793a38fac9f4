-- Operations have other names in the API reference: the verbs of the bank. What is stored by such a
-- name keeps its meaning. No new name is the old name of another operation, so no grant and no
-- request can come to mean another one. The audit trail is never rewritten: it keeps the names that
-- it was written with.

create table renamed (old text primary key, new text not null);
insert into renamed values
  ('createAdminUser', 'createUser'),
  ('listAdminUsers', 'listUsers'),
  ('getAdminUser', 'getUser'),
  ('updateAdminUser', 'updateUser'),
  ('postAdminUserFactorReset', 'allowFactorReset'),
  ('deleteAdminUserSessions', 'revokeUserSessions'),
  ('deleteAdminSession', 'revokeUserSession'),
  ('createAdminServiceAccount', 'createServiceAccount'),
  ('updateAdminServiceAccount', 'updateServiceAccount'),
  ('createAdminServiceAccountKey', 'issueServiceAccountKey'),
  ('deleteAdminServiceAccountKey', 'revokeServiceAccountKey'),
  ('createAccount', 'openAccount'),
  ('deleteAccount', 'closeAccount'),
  ('listAdminAccounts', 'findAccounts'),
  ('getAdminAccount', 'inspectAccount'),
  ('postAdminAccountFreeze', 'freezeAccount'),
  ('postAdminAccountUnfreeze', 'unfreezeAccount'),
  ('createAccountCard', 'issueCard'),
  ('replaceCard', 'updateCard'),
  ('postCardFreeze', 'freezeCard'),
  ('postCardUnfreeze', 'unfreezeCard'),
  ('createAdminAccountDeposit', 'createDeposit'),
  ('createAdminAccountWithdrawal', 'createWithdrawal'),
  ('createAdminTransferReversal', 'reverseTransfer'),
  ('postAdminTransferSettle', 'settleTransfer'),
  ('postAdminTransferReturn', 'returnTransfer'),
  ('getAdminApproval', 'getApproval'),
  ('deleteAdminApproval', 'withdrawRequest'),
  ('postAdminApprovalApprove', 'approveRequest'),
  ('postAdminApprovalReject', 'rejectRequest'),
  ('listAdminAuditEvents', 'listAuditEvents'),
  ('getAdminAuditEvent', 'getAuditEvent'),
  ('createAdminWebhook', 'createWebhook'),
  ('updateAdminWebhook', 'updateWebhook'),
  ('deleteAdminWebhook', 'deleteWebhook'),
  ('postAdminWebhookSecret', 'renewWebhookSecret'),
  ('postAdminWebhookTest', 'testWebhook'),
  ('postAdminWebhookDeliveryResend', 'resendWebhookDelivery'),
  ('getAdminOverview', 'getOverview');

update service_accounts set operations = array(
  select coalesce(r.new, o.name)
  from unnest(operations) with ordinality o (name, place) left join renamed r on r.old = o.name
  order by o.place
) where operations && array(select old from renamed);

update approvals set operation = r.new from renamed r where operation = r.old;
drop table renamed;

-- The name is in the digest of what was confirmed. A person confirms again: a challenge lives for
-- five minutes.
delete from challenges where purpose = 'confirmation';
