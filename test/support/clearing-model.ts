// A model of one account whose card pays: what each step of a processor, of its holder and of staff
// is answered, and what it leaves. Amounts are whole units of the currency, times are milliseconds.

export const outcomes = ['won', 'lost', 'withdrawn'] as const
export type Outcome = (typeof outcomes)[number]

/** `isInSuspense`: the account was closed when it was made, so that suspense has its money. */
type Chargeback = { amount: number; outcome: Outcome | 'open'; isInSuspense: boolean }

export type PaidByCard = {
  amount: number
  /** What captures may take above it. */
  more: number
  captured: number
  refunded: number
  /** In the order in which they were made. */
  chargebacks: Chargeback[]
  status: 'active' | 'captured' | 'released' | 'expired'
  expiresAt: number
}

export type Model = {
  now: number
  balance: number
  overdraft: number
  status: 'active' | 'frozen' | 'closed'
  /** What suspense has for the account, or has paid for it. */
  suspense: number
  payments: PaidByCard[]
}

/** `which` is the place of a payment in the model. Null: a clearing without an authorisation. */
export type Step =
  | { do: 'ask'; amount: number; isTip: boolean; lastsMs: number }
  | { do: 'capture'; which: number; amount: number; isFinal: boolean }
  | { do: 'clear'; which: number | null; amount: number }
  | { do: 'refund'; which: number; amount: number }
  | { do: 'chargeBack'; which: number; amount: number }
  | { do: 'end'; which: number; chargeback: number; outcome: Outcome }
  | { do: 'release'; which: number }
  | { do: 'transfer' | 'deposit'; amount: number }
  | { do: 'freeze' | 'unfreeze' }
  | { do: 'close' }
  | { do: 'wait'; ms: number }

const leftOf = ({ status, amount, captured }: PaidByCard): number =>
  status === 'active' ? amount - captured : 0

/** By chargebacks that are open or won. */
export const chargedBackOf = ({ chargebacks }: Pick<PaidByCard, 'chargebacks'>): number =>
  chargebacks
    .filter(({ outcome }) => outcome === 'open' || outcome === 'won')
    .reduce((sum, { amount }) => sum + amount, 0)

export const heldOf = ({ payments }: Model): number =>
  payments.reduce((sum, payment) => sum + leftOf(payment), 0)

export const freeOf = (model: Model): number => model.balance + model.overdraft - heldOf(model)

/** Takes a step. Gives `done`, or the refusal, which leaves everything as it was. */
export function take(model: Model, step: Step): string {
  if (step.do === 'wait') model.now += step.ms
  for (const payment of model.payments) {
    if (payment.status === 'active' && payment.expiresAt <= model.now) payment.status = 'expired'
  }
  const refusal = refuse(model, step)
  if (refusal === undefined) apply(model, step)
  return refusal ?? 'done'
}

function refuse(model: Model, step: Step): string | undefined {
  const { balance, status } = model
  // Whatever the account says.
  if (step.do === 'clear' || step.do === 'wait') return undefined
  if ('which' in step) {
    const payment = model.payments[step.which] as PaidByCard
    const { captured, refunded, more } = payment
    if (step.do === 'refund' || step.do === 'chargeBack') {
      const left = captured - refunded - chargedBackOf(payment)
      return step.amount > left ? 'limit_exceeded' : undefined
    }
    if (step.do === 'end') {
      const ended = payment.chargebacks[step.chargeback]?.outcome
      return ended === 'open' || ended === step.outcome ? undefined : 'illegal_transition'
    }
    if (step.do === 'release')
      return payment.status === 'captured' ? 'illegal_transition' : undefined
    if (payment.status !== 'active') return 'illegal_transition'
    if (status === 'frozen') return 'account_frozen'
    const above = step.amount - leftOf(payment)
    if (above > more) return 'limit_exceeded'
    return above > 0 && above > freeOf(model) ? 'insufficient_funds' : undefined
  }
  if (status === 'closed') return 'account_closed'
  if (step.do === 'deposit') return undefined
  if (step.do === 'freeze' || step.do === 'unfreeze') return undefined
  if (status === 'frozen') return 'account_frozen'
  if (step.do === 'close') {
    return balance !== 0 || heldOf(model) > 0 ? 'account_not_empty' : undefined
  }
  return 'amount' in step && step.amount > freeOf(model) ? 'insufficient_funds' : undefined
}

function pay(model: Model, amount: number): void {
  if (model.status === 'closed') model.suspense -= amount
  else model.balance -= amount
}

function apply(model: Model, step: Step): void {
  if (step.do === 'ask') {
    const { amount, isTip, lastsMs } = step
    const begun = { captured: 0, refunded: 0, chargebacks: [], status: 'active' as const }
    const more = isTip ? Math.floor((amount * 30) / 100) : 0
    model.payments.push({ amount, more, ...begun, expiresAt: model.now + lastsMs })
  } else if (step.do === 'capture' || (step.do === 'clear' && step.which !== null)) {
    const payment = model.payments[step.which as number] as PaidByCard
    payment.captured += step.amount
    pay(model, step.amount)
    const isFinal = step.do === 'capture' && step.isFinal
    const isEnd = payment.status === 'active' && (isFinal || leftOf(payment) <= 0)
    if (isEnd) payment.status = 'captured'
  } else if (step.do === 'clear') {
    const { amount } = step
    const begun = { captured: amount, refunded: 0, chargebacks: [], status: 'captured' as const }
    model.payments.push({ amount, ...begun, more: 0, expiresAt: model.now })
    pay(model, amount)
  } else if (step.do === 'refund') {
    const payment = model.payments[step.which] as PaidByCard
    payment.refunded += step.amount
    pay(model, -step.amount)
  } else if (step.do === 'chargeBack') {
    const { amount } = step
    const payment = model.payments[step.which] as PaidByCard
    const isInSuspense = model.status === 'closed'
    payment.chargebacks.push({ amount, outcome: 'open', isInSuspense })
    pay(model, -amount)
  } else if (step.do === 'end') {
    const chargeback = model.payments[step.which]?.chargebacks[step.chargeback] as Chargeback
    const isDone = chargeback.outcome !== 'open'
    chargeback.outcome = step.outcome
    if (isDone || step.outcome === 'won') return
    if (chargeback.isInSuspense) model.suspense -= chargeback.amount
    else pay(model, chargeback.amount)
  } else if (step.do === 'release') {
    const payment = model.payments[step.which] as PaidByCard
    if (payment.status === 'active') payment.status = 'released'
  } else if (step.do === 'transfer') model.balance -= step.amount
  else if (step.do === 'deposit') model.balance += step.amount
  else if (step.do === 'freeze') model.status = 'frozen'
  else if (step.do === 'unfreeze') model.status = 'active'
  else if (step.do === 'close') model.status = 'closed'
}
