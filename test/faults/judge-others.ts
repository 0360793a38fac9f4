// Lays what the rails know beside the books: each payment was carried by one of them or cancelled,
// each delivery was credited once, and the clearing account holds what they have counted, to the
// cent.
import type { LocalAddress } from '../../src/database/connect.ts'
import { bankAccount } from '../../src/ledger/internal-accounts.ts'
import { queryUntilAnswered } from './base.ts'
import { type History, violate } from './history.ts'
import type { Answered } from '../../client/cli/other-side.ts'
import type { RailBooks } from './rails.ts'
import { text } from './seed.ts'

const clearing = bankAccount('clearing', 'EUR')
const statuses = { arrives: 'completed', 'is rejected': 'returned', 'comes back': 'returned' }

export async function judgeRails(
  history: History,
  rails: readonly RailBooks[],
  address: LocalAddress,
): Promise<void> {
  const [balance] = await queryUntilAnswered(
    address,
    `select balance::text from accounts where id = '${clearing}'`,
  )
  const cents = rails.reduce((sum, rail) => sum + BigInt(rail.clearing.replace('.', '')), 0n)
  if (balance?.['balance'] !== String(cents)) {
    const held = text(BigInt(balance?.['balance'] as string))
    violate(history, `The clearing account holds ${held}, and the rails counted ${text(cents)}`)
  }
  await judgeCarried(history, rails, address)
  await judgeDelivered(history, rails, address)
}

async function judgeCarried(history: History, rails: readonly RailBooks[], address: LocalAddress) {
  const rows = await queryUntilAnswered(
    address,
    `select id, status from transfers where kind = 'transfer' and to_account_id = '${clearing}'`,
  )
  const carried = rails.flatMap(({ lines }) => lines.filter((line) => 'carried' in line))
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

async function judgeDelivered(
  history: History,
  rails: readonly RailBooks[],
  address: LocalAddress,
) {
  const rows = await queryUntilAnswered(
    address,
    `select t.id, t.caller_id, t.amount::text, x.external_id
     from transfers t left join external_ids x on x.transfer_id = t.id and x.caller_id = t.caller_id
     where t.kind = 'incoming'`,
  )
  const byCaller = Map.groupBy(rows, (row) => row['caller_id'] as string)
  for (const { callerId, lines } of rails) {
    const sent = new Map(
      lines.flatMap((line) => ('sent' in line ? [[line.sent, line.amount] as const] : [])),
    )
    const credited = lines.filter(
      (line) => 'answered' in line && line.id !== undefined,
    ) as Answered[]
    const booked = byCaller.get(callerId) ?? []
    const name = (...parts: unknown[]) => parts.map(String).join(' ')
    const expected = new Set(
      credited.map((each) => {
        const amount = BigInt((sent.get(each.answered) ?? '').replace('.', ''))
        return name(each.id, each.answered, amount)
      }),
    )
    if (booked.length !== expected.size) {
      const told = `${booked.length} payments of it are booked, and ${expected.size} were taken`
      violate(history, `A rail delivers ${sent.size}: ${told}`)
    }
    for (const row of booked) {
      const found = name(row['id'], row['external_id'], row['amount'])
      if (!expected.has(found)) violate(history, `No rail has delivered ${found}`)
    }
  }
}
