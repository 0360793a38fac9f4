// What an export reads of the bank, in the order of the lines that it writes: by what each thing is
// called in the folder, as it was imported, or as it is called here.
import { rfc3339 } from '../../domain/clock.ts'
import { fragment, sql } from '../../database/statements/statement.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'
import type { LineFile, LineOf } from './format.ts'

const personName = fragment`coalesce((
     select source_id from imported where kind = 'person' and id = u.id), u.id::text)`
const accountName = fragment`coalesce((
     select source_id from imported where kind = 'account' and id = a.id), a.id::text)`
const otherName = fragment`coalesce((
     select source_id from imported where kind = 'account' and id = t.id), t.id::text)`
const payeeName = fragment`coalesce((
     select source_id from imported where kind = 'beneficiary' and id = b.id), b.id::text)`
const blockName = fragment`coalesce((
     select source_id from imported where kind = 'block' and id = k.id), k.id::text)`
const orderName = fragment`coalesce((
     select source_id from imported where kind = 'order' and id = o.id), o.id::text)`

const formerName = fragment`coalesce((
     select source_id from imported where kind = 'former_entry' and id = f.id), f.id::text)`

/** Staff come with their account of a customer, if they have one, and without their roles. */
const isExported = fragment`'customer' = any (u.roles) and u.erased_at is null`
const open = fragment`accounts a join users u on u.id = a.owner_id
     and a.kind = 'customer' and ${isExported}`

/** In minor units, as text. */
type Units = string
type PersonRow = Required<LineOf<'people'>> & Record<'phone' | 'address' | 'language', unknown>
type AccountRow = {
  sourceId: string
  owner: string
  iban: string
  currency: Currency
  name: string | null
  status: 'active' | 'frozen' | 'closed'
  frozenBecause: string | null
  overdraftLimit: Units
  dailyTransferLimit: Units | null
  ownPerPayment: Units | null
  ownPerDay: Units | null
  registeredPhone: string | null
  alertsEnabled: boolean
}
type BlockRow = LineOf<'blocks'> & { until: Date | null }
type BalanceRow = {
  account: string
  amount: Units
  currency: Currency
  unarrangedSince: Date | null
}
type BeneficiaryRow = Required<LineOf<'beneficiaries'>> & { nickname: unknown }
type OrderRow = Required<LineOf<'orders'>> & { amount: Units; lastOn: string | null }
type FormerRow = {
  sourceId: string
  account: string
  bookedOn: string
  amount: Units
  currency: Currency
  counterpartyName: string | null
  counterpartyIban: string | null
  reference: string
}
type Rows = {
  people: PersonRow
  accounts: AccountRow
  blocks: BlockRow
  balances: BalanceRow
  beneficiaries: BeneficiaryRow
  orders: OrderRow
  history: FormerRow
}
export type RowOfFile<F extends LineFile> = Rows[F]

export const selects = {
  people: sql`select ${personName} collate "C" as "sourceId", u.username, u.email,
     u.given_name as "givenName", u.family_name as "familyName", u.phone, u.address, u.language,
     u.status
   from users u where ${isExported} order by 1`,
  accounts: sql`select ${accountName} collate "C" as "sourceId", ${personName} as owner, a.iban,
     a.currency, a.name, a.status,
     case when a.status = 'frozen' then (
       select reason from account_freezes where account_id = a.id) end as "frozenBecause",
     a.overdraft_limit::text as "overdraftLimit",
     a.daily_transfer_limit::text as "dailyTransferLimit",
     (case when a.next_limits_at <= now() then a.next_per_payment else a.own_per_payment end)::text
       as "ownPerPayment",
     (case when a.next_limits_at <= now() then a.next_per_day else a.own_per_day end)::text
       as "ownPerDay",
     a.registered_phone as "registeredPhone", a.alerts_enabled as "alertsEnabled"
   from ${open} order by 1`,
  blocks: sql`select ${blockName} collate "C" as "sourceId", ${accountName} as account, k.debits,
     k.credits, k.cause, k.note, k.until
   from account_blocks k join ${open} on a.id = k.account_id
   where k.lifted_at is null and coalesce(k.until > now(), true) and a.status <> 'closed'
   order by 1`,
  balances: sql`select ${accountName} collate "C" as account, a.balance::text as amount, a.currency,
     case when a.balance < -a.overdraft_limit then a.unarranged_since end as "unarrangedSince"
   from ${open} where a.balance <> 0 order by 1`,
  beneficiaries: sql`select ${payeeName} collate "C" as "sourceId", ${accountName} as account,
     b.name, b.iban, b.nickname, b.status
   from beneficiaries b join ${open} on a.id = b.account_id
   where b.status <> 'deleted' and a.status <> 'closed' order by 1`,
  // The program that made one does not come along: its holder decides.
  orders: sql`select ${orderName} collate "C" as "sourceId", ${accountName} as account,
     case when b.id is not null then ${payeeName} end as beneficiary,
     case when t.id is not null then ${otherName} end as "toAccount",
     o.amount::text, a.currency, o.reference, o.rhythm, o.first_on::text as "firstOn",
     o.last_on::text as "lastOn", o.next_on::text as "nextOn", o.retry_days as "retryDays",
     o.on_holiday as "onHoliday",
     case when o.is_program then 'paused' else o.status end as status
   from standing_orders o join ${open} on a.id = o.account_id
   left join beneficiaries b on b.id = o.beneficiary_id and b.status <> 'deleted'
   left join accounts t on t.id = o.to_account_id and t.status <> 'closed'
     and t.owner_id = a.owner_id
   where o.status <> 'ended' and a.status <> 'closed' and num_nonnulls(b.id, t.id) = 1
   order by 1`,
  // In the order in which an import numbers them: by day, and on one day by line.
  history: sql`select ${formerName} as "sourceId", ${accountName} as account,
     f.booked_on::text as "bookedOn", f.amount::text, a.currency,
     f.counterparty_name as "counterpartyName", f.counterparty_iban as "counterpartyIban",
     f.reference
   from former_entries f join ${open} on a.id = f.account_id
   order by f.id`,
} as const satisfies Record<LineFile, string>

const orNothing = <T>(value: T | null, usual?: T): T | undefined =>
  value === null || value === usual ? undefined : value

/** The members in the order of the form; one that has its usual value is left out. */
export const toLine: { [F in LineFile]: (row: RowOfFile<F>) => object } = {
  people: ({ phone, address, language, status, ...row }) => ({
    ...row,
    phone: orNothing(phone),
    address: orNothing(address),
    language: orNothing(language),
    status: orNothing(status, 'active'),
  }),
  accounts(row) {
    const { sourceId, owner, iban, currency, status } = row
    const limit = (units: Units | null, usual?: Units) =>
      units === null || units === usual ? undefined : formatAmount(BigInt(units), currency)
    return {
      sourceId,
      owner,
      iban,
      currency,
      name: orNothing(row.name),
      status: orNothing(status, 'active'),
      frozenBecause: orNothing(row.frozenBecause),
      overdraftLimit: limit(row.overdraftLimit, '0'),
      dailyTransferLimit: limit(row.dailyTransferLimit),
      ownPerPayment: limit(row.ownPerPayment),
      ownPerDay: limit(row.ownPerDay),
      registeredPhone: orNothing(row.registeredPhone),
      alertsEnabled: orNothing(row.alertsEnabled, true),
    }
  },
  blocks: ({ until, ...row }) => ({
    ...row,
    until: until === null ? undefined : rfc3339(until.getTime()),
  }),
  balances: ({ account, amount, currency, unarrangedSince: since }) => ({
    account,
    amount: formatAmount(BigInt(amount), currency),
    currency,
    unarrangedSince: since === null ? undefined : rfc3339(since.getTime()),
  }),
  beneficiaries: ({ nickname, status, ...row }) => ({
    ...row,
    nickname: orNothing(nickname),
    status: orNothing(status, 'active'),
  }),
  orders: ({ beneficiary, toAccount, reference, lastOn, retryDays, status, ...row }) => ({
    sourceId: row.sourceId,
    account: row.account,
    beneficiary: orNothing(beneficiary),
    toAccount: orNothing(toAccount),
    amount: formatAmount(BigInt(row.amount), row.currency),
    currency: row.currency,
    reference: orNothing(reference, ''),
    rhythm: row.rhythm,
    firstOn: row.firstOn,
    lastOn: orNothing(lastOn),
    nextOn: row.nextOn,
    retryDays: orNothing(retryDays, 0),
    onHoliday: orNothing(row.onHoliday, 'pay'),
    status: orNothing(status, 'active'),
  }),
  history: ({ amount, counterpartyName, counterpartyIban, reference, ...row }) => ({
    sourceId: row.sourceId,
    account: row.account,
    bookedOn: row.bookedOn,
    amount: formatAmount(BigInt(amount), row.currency),
    currency: row.currency,
    counterpartyName: orNothing(counterpartyName),
    counterpartyIban: orNothing(counterpartyIban),
    reference: orNothing(reference, ''),
  }),
}
