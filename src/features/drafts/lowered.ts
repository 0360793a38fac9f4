// A lower limit of a member takes back what it would not have let the member sign.
import { type Db, type RowOf, statement } from '../../database/statements/statement.ts'
import type { Days } from '../../domain/days.ts'
import { readMemberSpending } from '../../ledger/rows/member-spending.ts'
import { queueDraftMails } from '../mail/drafts-sql.ts'

const readSigned = statement(
  'drafts_read_signed_by_member',
  ['uuid', 'uuid', 'timestamptz'],
  { id: 'uuid', amount: 'int8', signedAt: 'timestamptz' },
  `select d.id, d.amount, s.signed_at as "signedAt"
   from payment_drafts d join draft_signatures s on s.draft_id = d.id
   where d.account_id = $1 and s.person_id = $2 and d.status = 'waiting' and d.expires_at > $3
   order by s.signed_at, d.id`,
)
type Signed = RowOf<typeof readSigned.gives>

const writeVoid = statement(
  'drafts_write_void',
  ['uuid[]', 'timestamptz'],
  { id: 'uuid', makerId: 'uuid', signedBy: 'uuid[]' },
  `update payment_drafts d set status = 'void', ended_at = $2, reference = ''
   where d.id = any($1) and d.status = 'waiting'
   returning d.id, d.maker_id as "makerId",
     array(select person_id from draft_signatures s where s.draft_id = d.id) as "signedBy"`,
)

export type SigningLimits = {
  accountId: string
  personId: string
  perPayment: bigint | null
  perDay: bigint | null
}

/** Those that are above the limits, in the order of their signatures, each in its own day. */
function findAbove(
  signed: readonly Signed[],
  { perPayment, perDay }: SigningLimits,
  usedOn: (signedAt: Date) => { used: bigint },
): Signed[] {
  return signed.filter(({ amount, signedAt }) => {
    const day = usedOn(signedAt)
    const isAbove =
      (perPayment !== null && amount > perPayment) ||
      (perDay !== null && day.used + amount > perDay)
    if (!isAbove) day.used += amount
    return isAbove
  })
}

/**
 * Makes void what waits with a signature of the member that the limits would not have allowed. Of a
 * day that counts first which is paid, then what is signed, in its order. It is behind the lock of
 * the account, so that no draft is paid meanwhile.
 */
export async function voidAboveLimits(
  tx: Db,
  limits: SigningLimits,
  { at, days }: { at: number; days: Days },
): Promise<void> {
  const { accountId, personId, perPayment, perDay } = limits
  if (perPayment === null && perDay === null) return
  const signed = await tx.run(readSigned, [accountId, personId, new Date(at)])
  const dayOf = (signedAt: Date) => days.dayOf(signedAt.getTime())
  const asked = [...new Set(signed.map(({ signedAt }) => dayOf(signedAt)))].map((day) => ({
    accountId,
    personId,
    day,
    start: days.startOf(day),
    end: days.endOf(day),
  }))
  if (asked.length === 0) return
  const paid = new Map<string, { used: bigint }>()
  for (const { day, spent } of await readMemberSpending(tx, asked, at)) {
    const waiting = signed
      .filter(({ signedAt }) => dayOf(signedAt) === day)
      .reduce((sum, { amount }) => sum + amount, 0n)
    paid.set(day, { used: spent > waiting ? spent - waiting : 0n })
  }
  const above = findAbove(signed, limits, (signedAt) => paid.get(dayOf(signedAt)) ?? { used: 0n })
  if (above.length === 0) return
  const ids = above.map(({ id }) => id)
  for (const { id, makerId, signedBy } of await tx.run(writeVoid, [ids, new Date(at)])) {
    const people = [...new Set([makerId, ...(signedBy as string[])])]
    await queueDraftMails(tx, 'draft-ended', { draftId: id, people }, at)
  }
}
