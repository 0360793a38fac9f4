// What a service asks its database beside its requests.
const names = [
  'approvals_purge|audit|background|clocks|drafts_end_due|events|gate_write',
  'ledger_(fill|lock_due|purge)',
  'lists_(cancel_forgotten|read_due|release|take)|mail_(?!insert)|members_find_due',
  'orders_(find_waiting|read_due|take)|overview_read_(backlog|queues|server|suspense)',
  'payments_(?!find|count)|plan_by_keys|purge|read_sign|reset|webhook|years',
]

/** Statements that no request runs alone: those of timers, and of the outbox. */
export const backgroundStatement = new RegExp(`^(${names.join('|')})`)
