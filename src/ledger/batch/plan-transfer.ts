// Transfers of customers, also those that a standing order makes on its day.
import { rfc3339 } from '../../domain/clock.ts'
import type { ExceededLimit } from '../../domain/errors.ts'
import { formatAmount } from '../../domain/money.ts'
import { decide, findExceeded } from '../rules/decide.ts'
import { maxBalance, spentOn } from '../rules/holds.ts'
import type { TransferMovement } from '../rules/movement.ts'
import { refusePayee } from '../rules/payee-check.ts'
import { bookTransfer } from './book.ts'
import type { Before, Place, Planned } from './facts.ts'

export function planTransfer(
  movement: TransferMovement,
  place: Place,
  { facts: { beneficiaries, days } }: Before,
): Planned {
  const beneficiary = beneficiaries.get(movement.beneficiaryId ?? '')
  const { payee } = movement
  // Last: a payer is asked to check, or to accept, what can be paid.
  const code =
    decide(movement, { ...place, beneficiary }) ?? (payee && refusePayee(payee, place.at))
  if (code === 'limit_exceeded') return { code, limit: findLimit(movement, place, days) }
  if (code !== undefined) return { code }
  return (id) => {
    const { accounts, events = [], ...booked } = bookTransfer(movement, place, id)
    const accepted = payee?.event ? [{ ...payee.event, target: id }] : []
    const [from, to] = accounts
    const spent = spentOn(from, place.day) + movement.amount
    const spentAmount = spent > maxBalance ? maxBalance : spent
    return {
      ...booked,
      accounts: [{ ...from, spentOn: place.day, spentAmount }, to],
      events: [...events, ...accepted],
    }
  }
}

/**
 * The limit that refuses the transfer. It is told to the owner of the account: to a program with a
 * grant to pay from it, neither the limit nor what else was paid is told.
 */
function findLimit(
  movement: TransferMovement,
  place: Place,
  days: Before['facts']['days'],
): ExceededLimit | undefined {
  const { currency, caller } = movement
  const exceeded = findExceeded(movement, place)
  if (!exceeded || caller.operation !== undefined) return undefined
  const { name } = exceeded
  const amount = formatAmount(exceeded.limit, currency)
  if (name === 'perPayment') return { name, amount, used: formatAmount(0n, currency), currency }
  const used = formatAmount(spentOn(place.from, place.day), currency)
  return { name, amount, used, currency, resetsAt: rfc3339(days.endOf(place.day)) }
}
