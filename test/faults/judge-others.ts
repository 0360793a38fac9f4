// Compares the books with what the rails and the processor know: each payment was sent by one rail
// or cancelled, each delivery and each step of a card payment was booked once, and the clearing
// account holds what they counted, to the cent.
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { bankAccount } from '../../src/ledger/rules/internal-accounts.ts'
import { queryUntilAnswered } from './base.ts'
import { type History, violate } from './history.ts'
import type { RailLine } from '../../client/cli/rail.ts'
import type { ProcessorLine } from '../../client/cli/processor.ts'
import type { OtherBooks } from './other-sides.ts'
import { text } from './seed.ts'

const clearing = bankAccount('clearing', 'EUR')
const statuses = { arrives: 'completed', 'is rejected': 'returned', 'comes back': 'returned' }

export async function judgeOthers(
  history: History,
  others: readonly OtherBooks[],
  address: LocalAddress,
): Promise<void> {
  const [balance] = await queryUntilAnswered(
    address,
    `select balance::text from accounts where id = '${clearing}'`,
  )
  const cents = others.reduce((sum, { clearing: own }) => sum + BigInt(own.replace('.', '')), 0n)
  if (balance?.['balance'] !== String(cents)) {
    const held = text(BigInt(balance?.['balance'] as string))
    violate(history, `The clearing account holds ${held}, and the others counted ${text(cents)}`)
  }
  const rails = others.filter((each) => 'rail' in each)
  await judgeCarried(history, rails, address)
  const booked = await readNumbered(address)
  for (const { callerId, rail } of rails) {
    const sent = rail.filter((line) => 'sent' in line)
    const known = new Map(sent.map(({ sent: number, amount }) => [number, amount]))
    judgeNumbered(history, booked.get(callerId) ?? [], known, rail)
  }
  for (const each of others) {
    if (!('processor' in each)) continue
    const steps = each.processor.filter((line) => 'step' in line && line.kind !== 'increment')
    const known = new Map(
      (steps as { step: string; amount: string }[]).map((s) => [s.step, s.amount]),
    )
    judgeNumbered(history, booked.get(each.callerId) ?? [], known, each.processor)
  }
}

type RailBooks = OtherBooks & { rail: readonly RailLine[] }

async function judgeCarried(history: History, rails: readonly RailBooks[], address: LocalAddress) {
  const rows = await queryUntilAnswered(
    address,
    `select id, status from transfers where kind = 'transfer' and to_account_id = '${clearing}'`,
  )
  const carried = rails.flatMap(({ rail }) => rail.filter((line) => 'carried' in line))
  const fates = new Map(carried.map(({ carried: id, fate }) => [id, statuses[fate]]))
  if (fates.size < carried.length) violate(history, 'A payment was carried by two rails')
  const cancelled = new Set(history.payments.flatMap(({ cancelled: id }) => id ?? []))
  const kept = new Set(history.payments.flatMap(({ kept: id }) => id ?? []))
  for (const row of rows) {
    const [id, status] = [row['id'] as string, row['status'] as string]
    const expected = fates.get(id) ?? 'cancelled'
    if (status !== expected) violate(history, `Payment ${id} is ${status}, and not ${expected}`)
    if (cancelled.has(id) && status !== 'cancelled') {
      violate(history, `The cancellation of ${id} was acknowledged, and it is ${status}`)
    }
    if (kept.has(id) && status === 'cancelled') {
      violate(history, `The cancellation of ${id} was refused for good, and took effect`)
    }
  }
}

type Numbered = { id: string; number: string; cents: string }

/**
 * What each caller has booked under an external identifier. The end of a chargeback has that of the
 * chargeback, and its outcome.
 */
async function readNumbered(address: LocalAddress): Promise<Map<string, Numbered[]>> {
  const rows = await queryUntilAnswered(
    address,
    `select t.id, t.caller_id, t.amount::text as cents, x.external_id as number
     from transfers t left join external_ids x on x.transfer_id = t.id and x.caller_id = t.caller_id
     where t.kind in ('incoming', 'card', 'clearing', 'refund', 'chargeback')
     union all
     select coalesce(e.transfer_id, t.id), e.caller_id, t.amount::text,
       x.external_id || '-' || e.outcome
     from chargeback_ends e join transfers t on t.id = e.chargeback_id
     left join external_ids x on x.transfer_id = t.id and x.caller_id = t.caller_id`,
  )
  return Map.groupBy(rows as (Numbered & { caller_id: string })[], (row) => row.caller_id)
}

/** Every accepted message is booked, once and with its amount, and nothing else. */
function judgeNumbered(
  history: History,
  booked: readonly Numbered[],
  known: ReadonlyMap<string, string>,
  lines: readonly (RailLine | ProcessorLine)[],
): void {
  const name = (...parts: unknown[]) => parts.map(String).join(' ')
  const told = lines.flatMap((line) => {
    const amount = 'answered' in line ? known.get(line.answered) : undefined
    if (!('answered' in line) || line.id === undefined || amount === undefined) return []
    return [name(line.id, line.answered, BigInt(amount.replace('.', '')))]
  })
  const expected = new Set(told)
  if (booked.length !== expected.size) {
    violate(history, `${booked.length} things are booked, and ${expected.size} were answered`)
  }
  for (const { id, number, cents } of booked) {
    const found = name(id, number, cents)
    if (!expected.has(found)) violate(history, `No other side has delivered ${found}`)
  }
}
