// What the demo's people wish to do, noted in any order of time, and the orders for the ledger that
// come of it, in the order of time. Nobody spends what he does not have.
import { newId } from '../../domain/ids.ts'
import { bankAccount } from '../../ledger/internal-accounts.ts'
import type { Kind, Order } from '../../ledger/order.ts'
import { createRandom } from './chance.ts'
import type { Account, Opened, Payee, Year } from './open.ts'

export const dayLength = 24 * 60 * 60 * 1000
const minute = 60_000

/** An order; `of` is the number of the one whose transfer it settles, returns or reverses. */
export type Planned = { number: number; order: Order; of?: number }
/** Orders of one moment, milliseconds since the epoch: they share a transaction of the ledger. */
export type Step = { at: number; orders: Planned[] }

/** The moments of a day, in minutes; each is up to 70 minutes later. */
const slots = { early: 330, morning: 480, office: 615, noon: 735, evening: 1020, night: 1140 }
export type Slot = keyof typeof slots
const slotNames = Object.keys(slots) as Slot[]

type Wish = {
  day: number
  slot: Slot
  kind: Kind | 'settlement'
  from: string
  to: Payee
  /** Minor units; or a part of what is there, in percent. */
  amount: bigint | { percent: bigint }
  currency: Order['currency']
  reference: string
  caller: Order['caller']
  number: number
  of?: number
  action?: string
}
type Told = Omit<Wish, 'number' | 'day' | 'slot' | 'amount'>

/** Collects wishes, in any order of time. */
export class Diary {
  readonly wishes: Wish[] = []
  private readonly opened: Opened
  private readonly days: number

  constructor(opened: Opened, days: number) {
    this.opened = opened
    this.days = days
  }

  private note(day: number, slot: Slot, amount: Wish['amount'], told: Told): number {
    const number = this.wishes.length
    this.wishes.push({ ...told, day, slot, amount, number })
    return number
  }

  /** The bank takes money in at the counter, or from abroad. */
  deposit(day: number, account: Account, amount: bigint, reference: string): number {
    const { currency, id: toAccountId } = account
    const from = bankAccount('cash', currency)
    const { admin: caller } = this.opened
    const told = {
      kind: 'deposit',
      from,
      to: { toAccountId },
      currency,
      reference,
      caller,
    } as const
    return this.note(day, 'office', amount, { ...told, action: 'createAdminAccountDeposit' })
  }

  /** A transfer of a customer; what goes to another bank arrives the day after. */
  pay(
    [day, slot]: readonly [number, Slot],
    from: Account,
    to: Payee | undefined,
    amount: Wish['amount'],
    reference: string,
    fate: 'arrives' | 'comes back' = 'arrives',
  ): number {
    if (!to) throw new Error(`${reference}: nobody is paid`)
    const told = { from: from.id, to, currency: from.currency, reference, caller: from.owner }
    const of = this.note(day, slot, amount, { ...told, kind: 'transfer' })
    const isOutside = (to.counterparty?.iban ?? null) !== null
    if (isOutside && day + 1 < this.days) this.afterwards(day + 1, of, from, to, fate)
    return of
  }

  private afterwards(day: number, of: number, from: Account, to: Payee, fate: string): void {
    const { currency, id } = from
    const { admin: caller } = this.opened
    const { toAccountId: clearing, counterparty } = to
    const ends =
      fate === 'arrives'
        ? { kind: 'settlement', from: id, to: { toAccountId: clearing } }
        : { kind: 'return', from: clearing, to: { toAccountId: id, counterparty } }
    const action = fate === 'arrives' ? 'postAdminTransferSettle' : 'postAdminTransferReturn'
    const told = { ...ends, currency, reference: '', caller, action, of } as Told
    this.note(day, 'office', 0n, told)
  }

  /** Money taken in by mistake goes out again. */
  reverse(day: number, of: number, account: Account, reference: string): void {
    const { currency, id: from } = account
    const { admin: caller } = this.opened
    const to = { toAccountId: bankAccount('cash', currency) }
    const told = { kind: 'reversal', from, to, currency, reference, caller, of } as const
    this.note(day, 'office', 0n, { ...told, action: 'createAdminTransferReversal' })
  }
}

/** Puts the wishes in the order of time and leaves out what cannot be paid. */
export function toSteps(wishes: readonly Wish[], year: Year): Step[] {
  const moments = Map.groupBy(wishes, ({ day, slot }) => day * 10 + slotNames.indexOf(slot))
  const balances = new Map<string, bigint>()
  const amounts = new Map<number, bigint>()
  const steps: Step[] = []
  for (const moment of [...moments.keys()].toSorted((one, other) => one - other)) {
    const together = moments.get(moment) as Wish[]
    const { day, slot } = together[0] as Wish
    const chance = createRandom(year.seed, `moment ${moment}`)
    const late = chance.below(70) * minute + chance.below(minute)
    const at = year.start + day * dayLength + slots[slot] * minute + late
    const orders = together.flatMap((wish) => toOrder(wish, at, balances, amounts) ?? [])
    if (orders.length > 0) steps.push({ at, orders })
  }
  return steps
}

function toOrder(
  wish: Wish,
  at: number,
  balances: Map<string, bigint>,
  amounts: Map<number, bigint>,
): Planned | undefined {
  const { kind, from, to, currency, reference, caller, number, of, action } = wish
  const held = balances.get(from) ?? 0n
  const asked = typeof wish.amount === 'bigint' ? wish.amount : (held * wish.amount.percent) / 100n
  // The same money as the transfer it is about; none when that could not be paid.
  const amount = of === undefined ? asked : (amounts.get(of) ?? 0n)
  if (amount <= 0n || (kind === 'transfer' && held < amount)) return undefined
  amounts.set(number, amount)
  if (kind !== 'settlement') {
    balances.set(from, held - amount)
    balances.set(to.toAccountId, (balances.get(to.toAccountId) ?? 0n) + amount)
  }
  const order: Order = { kind, fromAccountId: from, ...to, amount, currency, reference, caller }
  const event = action === undefined ? {} : { event: toDemoEvent(action, order, at) }
  return { number, order: { ...order, ...event }, ...(of !== undefined && { of }) }
}

/** As the audit trail would have it, had the administrator asked by the interface. */
const toDemoEvent = (action: string, { caller, toAccountId, reference }: Order, at: number) => ({
  id: newId(at),
  at,
  actorId: caller.userId,
  action,
  target: toAccountId,
  outcome: 'success' as const,
  requestId: newId(at),
  address: '127.0.0.1',
  detail: reference === '' ? null : reference,
})
