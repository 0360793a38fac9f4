// Transfers with the details that few of them have: those of payments from other banks, why a
// payment came back, and whose the money is that lies in suspense.
import { type Db, type RowOf, statement } from '../../database/statements/statement.ts'
import { readDetails } from '../../ledger/rows/transfer-details.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import type { Transfer, TransferDetails } from '../../ledger/rules/movement.ts'

type Payer = { name: string; iban: string }
export type DetailedTransfer = Transfer & {
  details?: TransferDetails
  /** What was known of the name of a payment's payee. */
  checked?: TransferDetails
  payer?: Payer
  /** The card payment that it takes money by, or gives money back of. */
  cardPaymentId?: string
  /** The member of the account who made it. */
  madeBy?: string
  /** The draft that it has paid, and who has signed that. */
  draft?: { id: string; signedBy: string[] }
  /** The IBAN that money in suspense was for, and the account that has it or had it. */
  creditorIban?: string
  creditorAccountId?: string
}

/** The transfer that has the details: for one that was returned, the return. */
function detailedId({ id, kind, status, reversedBy }: Transfer): string | null {
  if (status === 'returned') return reversedBy
  return kind === 'incoming' || kind === 'return' ? id : null
}

/** Only a payment to a beneficiary may name a check. */
const checkedId = ({ id, kind, beneficiaryId }: Transfer): string | null =>
  kind === 'transfer' && beneficiaryId !== null ? id : null

export const isInSuspense = ({ toAccountId, currency }: Transfer): boolean =>
  toAccountId === bankAccount('suspense', currency)

/** A clearing of a closed account, or the end of a chargeback that it had. */
const isPaidBySuspense = ({ fromAccountId, currency }: Transfer): boolean =>
  fromAccountId === bankAccount('suspense', currency)

/**
 * A return is for the account that had paid; or, of money that was sent back to another bank, for
 * the IBAN that it had come for. The route of incoming payments keeps that among the texts as they
 * came.
 */
const readCreditors = statement(
  'transfers_read_creditors',
  ['uuid[]'],
  { id: 'uuid', paymentId: 'uuid?', iban: 'text?', accountId: 'uuid?' },
  `select x.id, x.payment_id as "paymentId", coalesce(b.iban, x.iban) as iban, b.id as "accountId"
   from (
     select t.id, p.id as payment_id,
       coalesce(h.account_id, o.from_account_id) as account_id,
       d.original::json ->> 'creditorIban' as iban
     from transfers t
     left join card_refunds r on r.transfer_id = t.id
     left join hold_captures k on k.transfer_id = case
       when t.kind in ('card', 'clearing') then t.id end
     left join card_chargebacks b on b.transfer_id = case t.kind
       when 'chargeback' then t.id when 'takeback' then t.reversal_of end
     cross join lateral (select coalesce(r.payment_id, k.hold_id, b.payment_id) as id) p
     left join holds h on h.id = p.id
     left join transfers o on o.id = t.reversal_of
     left join transfer_details d on d.transfer_id = coalesce(o.reversal_of, t.id)
     where t.id = any($1)
   ) x
   left join accounts b
     on b.kind = 'customer' and (b.id = x.account_id or b.iban = x.iban)`,
)
type Creditor = RowOf<typeof readCreditors.gives>

/**
 * What is told of the transfer: of what is of a card payment that, of what lies in suspense whose
 * it is.
 */
function tellCreditor(row: Transfer, creditor: Creditor | undefined): Partial<DetailedTransfer> {
  const { paymentId = null, iban = null, accountId = null } = creditor ?? {}
  const isWaiting = isInSuspense(row) || isPaidBySuspense(row)
  return {
    ...(paymentId !== null && { cardPaymentId: paymentId }),
    ...(isWaiting && iban !== null && { creditorIban: iban }),
    ...(isWaiting && accountId !== null && { creditorAccountId: accountId }),
  }
}

/** What is of a card payment, and the kinds that come to lie there by themselves. */
const hasCreditor = (row: Transfer): boolean =>
  ['card', 'refund', 'clearing', 'chargeback', 'takeback'].includes(row.kind) ||
  ((row.kind === 'incoming' || row.kind === 'return') && isInSuspense(row))

/** With their details. Nothing is read if none can have any. */
export async function addDetails(db: Db, rows: readonly Transfer[]): Promise<DetailedTransfer[]> {
  const ids = rows.flatMap((row) => [detailedId(row) ?? [], checkedId(row) ?? []].flat())
  const credited = rows.filter(hasCreditor).map(({ id }) => id)
  if (ids.length === 0 && credited.length === 0) return [...rows]
  const found = new Map((await readDetails(db, ids)).map((row) => [row.transferId, row]))
  const creditors = credited.length === 0 ? [] : await db.run(readCreditors, [credited])
  const told = new Map(creditors.map((creditor) => [creditor.id, creditor]))
  return rows.map((row) => {
    const details = found.get(detailedId(row) ?? '')
    const checked = found.get(checkedId(row) ?? '')
    const read = { ...(details && { details }), ...(checked && { checked }) }
    return { ...row, ...read, ...tellCreditor(row, told.get(row.id)) }
  })
}

const readPayers = statement(
  'transfers_read_payers',
  ['uuid[]'],
  { id: 'uuid', iban: 'text', givenName: 'text', familyName: 'text' },
  `select a.id, a.iban, u.given_name as "givenName", u.family_name as "familyName"
   from accounts a join users u on u.id = a.owner_id
   where a.id = any($1) and a.kind = 'customer'`,
)

/** With the present names of the holders of the accounts that they left, in one read. */
export async function addPayers(
  db: Db,
  rows: readonly DetailedTransfer[],
): Promise<DetailedTransfer[]> {
  const ids = [...new Set(rows.map(({ fromAccountId }) => fromAccountId))]
  if (ids.length === 0) return []
  const found = await db.run(readPayers, [ids])
  const payers = new Map(
    found.map(({ id, iban, givenName, familyName }) => [
      id,
      { name: `${givenName} ${familyName}`, iban },
    ]),
  )
  return rows.map((row) => {
    const payer = payers.get(row.fromAccountId)
    return payer ? { ...row, payer } : row
  })
}

const readMakers = statement(
  'transfers_read_makers',
  ['uuid[]'],
  { id: 'uuid', isByMember: 'bool', draftId: 'uuid?', signedBy: 'uuid[]' },
  `select t.id, m.is_by_member as "isByMember", d.id as "draftId", array(
       select person_id from draft_signatures s where s.draft_id = d.id order by signed_at
     ) as "signedBy"
   from transfers t
   cross join lateral (
     select exists (
       select from account_members m
       where m.account_id = t.from_account_id and m.person_id = t.caller_id
     ) as is_by_member
   ) m
   left join payment_drafts d on d.transfer_id = t.id
   where t.id = any($1) and (m.is_by_member or d.id is not null)`,
)

/**
 * With the members that have made them, and the drafts that they have paid, in one read. An owner
 * is no member of its account.
 */
export async function addMakers(
  db: Db,
  rows: readonly DetailedTransfer[],
): Promise<DetailedTransfer[]> {
  const ids = rows.flatMap(({ id, kind }) => (kind === 'transfer' ? id : []))
  if (ids.length === 0) return [...rows]
  const found = new Map((await db.run(readMakers, [ids])).map((made) => [made.id, made]))
  return rows.map((row) => {
    const { isByMember = false, draftId: id = null, signedBy = [] } = found.get(row.id) ?? {}
    return {
      ...row,
      ...(isByMember && { madeBy: row.callerId }),
      ...(id !== null && { draft: { id, signedBy: [...(signedBy as readonly string[])] } }),
    }
  })
}
