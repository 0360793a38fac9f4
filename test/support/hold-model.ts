// A model of one account with holds: what each step is answered, and what it leaves. Amounts are
// whole units of the currency, times are milliseconds.

export type Held = {
  kind: 'authorization' | 'seizure'
  amount: number
  captured: number
  status: 'active' | 'captured' | 'released' | 'expired'
  /** Infinity: it stands until it ends otherwise. */
  expiresAt: number
}

export type Model = {
  now: number
  balance: number
  overdraft: number
  status: 'active' | 'frozen' | 'closed'
  holds: Held[]
}

/** `which` is the place of a hold in the model. */
export type Step =
  | { do: 'hold'; kind: Held['kind']; amount: number; lastsMs: number }
  | { do: 'capture'; which: number; amount: number; isFinal: boolean }
  | { do: 'release'; which: number }
  | { do: 'change'; which: number; amount: number }
  | { do: 'extend'; which: number; lastsMs: number }
  | { do: 'transfer'; amount: number }
  | { do: 'deposit'; amount: number }
  | { do: 'overdraft'; amount: number }
  | { do: 'freeze' | 'unfreeze' | 'close' }
  | { do: 'wait'; ms: number }

export const leftOf = ({ status, amount, captured }: Held): number =>
  status === 'active' ? amount - captured : 0

export const heldOf = ({ holds }: Model): number =>
  holds.reduce((sum, hold) => sum + leftOf(hold), 0)

/** Takes a step. Gives `done`, or the refusal, which leaves everything as it was. */
export function take(model: Model, step: Step): string {
  if (step.do === 'wait') model.now += step.ms
  for (const hold of model.holds) {
    if (hold.status === 'active' && hold.expiresAt <= model.now) hold.status = 'expired'
  }
  const refusal = refuse(model, step)
  if (refusal === undefined) apply(model, step)
  return refusal ?? 'done'
}

function refuse(model: Model, step: Step): string | undefined {
  const { balance, overdraft, status, holds } = model
  const free = balance + overdraft - heldOf(model)
  const reserve = (kind: string, more: number): string | undefined => {
    if (status === 'frozen' && kind === 'authorization') return 'account_frozen'
    return more > free ? 'insufficient_funds' : undefined
  }
  if ('which' in step) {
    const hold = holds[step.which] as Held
    if (hold.status !== 'active') return 'illegal_transition'
    if (step.do === 'capture') {
      if (status === 'frozen') return 'account_frozen'
      return step.amount > leftOf(hold) ? 'limit_exceeded' : undefined
    }
    if (step.do !== 'change') return undefined
    if (step.amount <= hold.captured) return 'limit_exceeded'
    const more = step.amount - hold.amount
    return more > 0 ? reserve(hold.kind, more) : undefined
  }
  if (step.do === 'wait') return undefined
  if (status === 'closed') return 'account_closed'
  if (step.do === 'hold') return reserve(step.kind, step.amount)
  if (step.do === 'overdraft')
    return free - overdraft + step.amount < 0 ? 'limit_exceeded' : undefined
  if (step.do === 'transfer') {
    if (status === 'frozen') return 'account_frozen'
    return step.amount > free ? 'insufficient_funds' : undefined
  }
  if (step.do !== 'close') return undefined
  if (status === 'frozen') return 'account_frozen'
  return balance !== 0 || heldOf(model) > 0 ? 'account_not_empty' : undefined
}

function apply(model: Model, step: Step): void {
  if (step.do === 'hold') {
    const { kind, amount, lastsMs } = step
    const expiresAt = model.now + lastsMs
    model.holds.push({ kind, amount, captured: 0, status: 'active', expiresAt })
  } else if ('which' in step) {
    const hold = model.holds[step.which] as Held
    if (step.do === 'release') hold.status = 'released'
    else if (step.do === 'change') hold.amount = step.amount
    else if (step.do === 'extend') hold.expiresAt = model.now + step.lastsMs
    else {
      hold.captured += step.amount
      model.balance -= step.amount
      if (step.isFinal || leftOf(hold) === 0) hold.status = 'captured'
    }
  } else if (step.do === 'transfer') model.balance -= step.amount
  else if (step.do === 'deposit') model.balance += step.amount
  else if (step.do === 'overdraft') model.overdraft = step.amount
  else if (step.do === 'freeze') model.status = 'frozen'
  else if (step.do === 'unfreeze') model.status = 'active'
  else if (step.do === 'close') model.status = 'closed'
}

/** A step with its answer; undefined when it was lost: the step was taken or not. */
export type Observed<S = Step> = { step: S; answer: string | undefined }

/**
 * Whether the steps can have been taken one after another, in whichever order, with these answers
 * and this end.
 */
export const isPossible = (
  model: Model,
  observed: readonly Observed[],
  isEnd: (model: Model) => boolean,
): boolean => hasOrder(take, model, observed, isEnd)

/** The same for any model, whose steps `take` takes. */
export function hasOrder<M, S>(
  take: (model: M, step: S) => string,
  model: M,
  observed: readonly Observed<S>[],
  isEnd: (model: M) => boolean,
): boolean {
  if (observed.length === 0) return isEnd(model)
  return observed.some(({ step, answer }, index) => {
    const rest = observed.filter((_, other) => other !== index)
    const next = structuredClone(model)
    const given = take(next, step)
    if (answer === undefined && hasOrder(take, structuredClone(model), rest, isEnd)) return true
    return (answer ?? given) === given && hasOrder(take, next, rest, isEnd)
  })
}
