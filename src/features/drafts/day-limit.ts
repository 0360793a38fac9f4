// The limit of a day that an owner gives a member: it counts what the member signs on that day.
import type { Db } from '../../database/statements/statement.ts'
import type { Days } from '../../domain/days.ts'
import type { ExceededLimit } from '../../domain/errors.ts'
import type { Currency } from '../../domain/money.ts'
import { readMembersIn } from '../../gate/members.ts'
import { tellExceeded } from '../../ledger/batch/plan-transfer.ts'
import { findExceededDay } from '../../ledger/rules/decide.ts'
import { readMemberSpending } from '../../ledger/rows/member-spending.ts'

type Signing = { accountId: string; personId: string; amount: bigint; currency: Currency }

/**
 * The limit of a day that a signature before the last one is above; undefined for the owner. It is
 * read behind the lock of the account, which each signature and each payment takes. The last
 * signature is judged with its payment.
 */
export async function findDayLimit(
  tx: Db,
  { accountId, personId, amount, currency }: Signing,
  { at, days }: { at: number; days: Days },
): Promise<ExceededLimit | undefined> {
  const members = (await readMembersIn(tx, [accountId]))(at)
  const limit = members.find((one) => one.personId === personId)?.perDay ?? null
  if (limit === null) return undefined
  const day = days.dayOf(at)
  const dayEnd = days.endOf(day)
  const asked = { accountId, personId, day, start: days.startOf(day), end: dayEnd }
  const [found] = await readMemberSpending(tx, [asked], at)
  const exceeded = findExceededDay(amount, { limit, used: found?.spent ?? 0n })
  return exceeded && tellExceeded(exceeded, { currency, dayEnd })
}
