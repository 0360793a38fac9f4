// Which tables hold money, mandates and what follows from them, and which of their columns the
// verification does not prove, with the reason at each. A new table or column fails the test until
// it is decided here, and so does an entry that is noticed by now.
import type { Tables } from './damages.ts'

/** With the kinds of their rows that the verification proves in different ways. */
export const tablesOfMoney: Tables = {
  account_blocks: `case when lifted_at is null then 'not lifted' else 'lifted' end`,
  account_freezes: '',
  accounts: `case kind when 'customer' then 'a customer' else 'the bank' end`,
  brought_back: '',
  card_authorizations: `case when reason is not null then 'a decline'
    when is_cleared then 'cleared' when payment_id = id then 'a payment' else 'a raise' end`,
  card_chargebacks: '',
  card_refunds: '',
  cards: '',
  chargeback_ends: 'outcome',
  entries: `kind || case when commitment is null then '' else ', erased' end`,
  external_ids: `case when is_settlement then 'a settlement'
    when exists (select from transfers t where t.id = transfer_id) then 'a transfer'
    when exists (select from holds h where h.id = transfer_id and counted_on is null) then 'a hold'
    when exists (select from made_resources m where m.id = transfer_id) then 'what was made'
    else 'an authorization' end`,
  hold_captures: '',
  holds: `case when exists (select from card_authorizations c where c.id = x.id and c.is_cleared)
    then 'cleared' when counted_on is null then status else 'a card, ' || status end`,
  payment_list_lines: `case when is_refused_early then 'a refusal of the check'
    else coalesce(outcome, 'ready') end`,
  payment_lists: 'status',
  standing_order_changes: '',
  standing_order_runs: 'outcome',
  standing_orders: '',
  transfer_details: `case when payee_result is null then 'of a rail' else 'of a payment' end`,
  transfers: `kind || case when salt is null then ', erased' else '' end`,
}

const access = 'who may do what, and how they log in'
const told = 'what is told of changes; removed after days'
const ofBank = 'settings of the bank'
const person = 'of people'
/** Why the columns of the other tables are none of money. */
export const otherTables: Readonly<Record<string, string>> = {
  account_members: access,
  alert_windows: told,
  archived_heads: 'where chains go on: src/cli/archive/tampering.test.ts changes each column',
  archived_terms: 'the same of transfers whose entries are in an archive',
  archives: 'the same',
  approvals: 'requests that wait for a second person: what they lead to is proved as the rest is',
  audit_events: 'the trail itself: its owner exports it, each file with the hash of the one before',
  bank_generation: ofBank,
  bank_calendars: ofBank,
  bank_time_zones: ofBank,
  beneficiaries: 'whom a customer may pay: each payment and each order keeps its own payee',
  card_disputes: 'what a holder says of a payment: a chargeback of it is proved as money is',
  challenges: access,
  claims: 'the first answers to keys; removed after a day',
  code_failures: access,
  devices: access,
  draft_signatures: 'proved with the drafts that they have paid',
  email_changes: access,
  entry_notes: 'what owners note on entries: no part of the books',
  events: told,
  factor_resets: access,
  factors: access,
  former_entries: 'what the bank of before booked: no part of the books, and no sum has it',
  holder_names: person,
  iban_pool: ofBank,
  iban_sequences: ofBank,
  imported: 'which line of an import became which thing: money of it is an entry',
  issuer_links: access,
  issuer_logouts: access,
  issuer_visits: access,
  last_event: told,
  made_resources: 'who made people and accounts: of what has a number, the number is proved',
  mails: told,
  migrations: ofBank,
  payment_drafts: 'payments that wait: one that is paid is compared with its transfer',
  payee_checks: 'what was told of payees; removed after a day',
  notice_choices: told,
  order_erasures: 'which texts are to be erased',
  password_tokens: access,
  recent_transfers: 'what counts as a repetition for seconds',
  payment_terms: 'by what payments are looked up: made of the payments anew',
  payment_terms_place: 'how far that is',
  recovery_codes: access,
  refresh_tokens: access,
  refused_payments: 'what moved nothing; removed after 90 days',
  secrets: ofBank,
  service_accounts: access,
  service_keys: access,
  staff_notes: person,
  sessions: access,
  signing_keys: access,
  unconfirmed_payments: 'what was paid without a second factor: a sum of hours',
  user_names: person,
  user_words: person,
  users: person,
  webhook_deliveries: told,
  webhooks: told,
}

const setting = 'a setting: the trail says who changed it, and not to what'
const ofDay = 'counts to the limit of one day'
const empty = 'an account without entries, which nothing names'
const erasable = 'a text that is only shown, and is erased: nothing that stays may tell it'
const ofCard = 'what the card is by itself: each payment keeps its own'
const maker = 'who asked for a change: the audit event of the request tells it too'
const attempt = 'when the next run is tried: a run that was made is proved by its payment'
const unpaid = 'a run without a payment'
const older = 'as a release before wrote it: it has none'

const reasons: Readonly<Record<string, readonly string[]>> = {
  [empty]: ['accounts.id of a customer', 'accounts.currency of a customer'],
  [`${empty}: otherwise its chain holds who paid from it`]: ['accounts.owner_id of a customer'],
  'of each entry the account of the other side would be read': ['accounts.iban of a customer'],
  'a frozen account pays nothing; one that was unfrozen is noticed by its freeze': [
    'accounts.status of a customer',
  ],
  [setting]: [
    'accounts.name of a customer',
    'accounts.overdraft_limit of a customer',
    'accounts.daily_transfer_limit of a customer',
    'accounts.own_per_payment of a customer',
    'accounts.own_per_day of a customer',
    'accounts.next_per_payment of a customer',
    'accounts.next_per_day of a customer',
    'accounts.next_limits_at of a customer',
    'accounts.signatures_from of a customer',
    'accounts.next_signatures_from of a customer',
    'accounts.next_signatures_at of a customer',
    'accounts.notice_below of a customer',
    'accounts.is_below_told of a customer',
    'accounts.registered_phone of a customer',
    'accounts.alerts_enabled of a customer',
    'cards.nickname',
    'cards.status',
    'cards.frozen_by',
    'cards.frozen_at',
    'cards.frozen_by_id',
    'cards.per_payment_limit',
    'cards.per_payment_limit to null',
    'cards.per_day_limit',
    'cards.pays_online',
    'cards.pays_abroad',
    'cards.pays_contactless',
    'cards.pays_cash',
  ],
  [ofDay]: [
    'accounts.spent_on of a customer',
    'accounts.spent_on of a customer to null',
    'accounts.spent_amount of a customer',
  ],
  'nothing depends on it': [
    'accounts.created_at of a customer',
    'accounts.created_at of the bank',
    'cards.created_at',
  ],
  [ofCard]: ['cards.last_four', 'cards.number_hmac', 'cards.expiry_month', 'cards.expiry_year'],
  [erasable]: [
    'account_blocks.note of lifted',
    'account_blocks.note of lifted to null',
    'account_blocks.note of not lifted',
    'account_blocks.note of not lifted to null',
    'card_authorizations.merchant_name of a decline',
    'card_authorizations.merchant_category of a decline',
    'card_authorizations.merchant_category of cleared',
    'card_authorizations.merchant_country of cleared',
    'card_authorizations.merchant_category of a payment',
    'card_authorizations.merchant_country of a decline',
    'card_authorizations.merchant_country of a payment',
    'holds.reference of active',
    'holds.reference of captured',
    'holds.reference of expired',
    'holds.reference of released',
  ],
  'the request of its chargeback has it, and no money follows from it': ['card_chargebacks.reason'],
  'the request of its clearing has it, whose hash also holds texts that are erased': [
    'card_authorizations.channel of cleared',
  ],
  [older]: ['external_ids.seal of a hold to null', 'external_ids.seal of an authorization to null'],
  [unpaid]: [
    'standing_order_runs.refusal of refused',
    'standing_order_runs.refusal of waiting',
    'standing_order_runs.at of refused',
    'standing_order_runs.at of waiting',
  ],
  [maker]: [
    'standing_order_changes.at',
    'standing_order_changes.caller_id',
    'standing_order_changes.caller_id to null',
    'standing_order_changes.request_id',
    'standing_order_changes.request_id to null',
    'standing_order_changes.session_id',
    'standing_order_changes.session_id to null',
  ],
  'a name that is only shown: the IBAN is compared': [
    'standing_order_changes.payee_name',
    'standing_order_changes.payee_name to null',
  ],
  'an order that is kept without its IBAN is one whose payee was deleted': [
    'standing_order_changes.payee_iban to null',
  ],
  [attempt]: [
    'standing_orders.attempts',
    'standing_orders.late_count',
    'standing_orders.leased_until',
    'standing_orders.tried_on',
    'standing_orders.tried_on to null',
    'payment_lists.attempts of cancelled',
    'payment_lists.leased_until of cancelled',
    'payment_lists.attempts of checked',
    'payment_lists.leased_until of checked',
    'payment_lists.attempts of executed',
    'payment_lists.leased_until of executed',
    'payment_lists.attempts of ordered',
    'payment_lists.leased_until of ordered',
  ],
  'a list that was cancelled pays nothing, and has lost its texts with their salt': [
    'payment_lists.created_at of cancelled',
    'payment_lists.digest of cancelled',
    'payment_lists.ended_at of cancelled',
    'payment_lists.execute_on of cancelled',
    'payment_lists.form of cancelled',
    'payment_lists.is_program of cancelled',
    'payment_lists.maker_id of cancelled',
    'payment_lists.message_id of cancelled',
    'payment_lists.ordered_at of cancelled',
    'payment_lists.session_id of cancelled',
  ],
  'its owner confirmed it at that time with that session: the event of the trail tells it': [
    'payment_lists.ordered_at of executed',
    'payment_lists.ordered_at of ordered',
    'payment_lists.session_id of ordered',
  ],
  'a payee that is added when its list is ordered': [
    'payment_list_lines.beneficiary_id of ready to null',
  ],
  'a line without a payment': ['payment_list_lines.refusal of refused'],
}

/**
 * What the verification does not notice: `table.column`, with the kind of its row; ` to null` of a
 * value that is removed.
 */
export const unproved: readonly string[] = Object.values(reasons).flat()
