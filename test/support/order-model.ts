// A model of standing orders: what each step is answered, and what it leaves. It has a calendar of
// its own: whether a day is due is asked of each day, one after another. Amounts are whole units.
import { readFileSync } from 'node:fs'

export type Rhythm = 'once' | 'weekly' | 'monthly' | 'yearly'
type Series = { rhythm: Rhythm; firstOn: string; lastOn: string | null }
type Run = { outcome: 'made' | 'refused' | 'skipped' | 'waiting'; refusal: string | null }

/** An account with one standing order. */
export type Model = Series & {
  balance: number
  isFrozen: boolean
  amount: number
  retryDays: number
  onHoliday: 'pay' | 'before' | 'after'
  status: 'active' | 'paused' | 'ended'
  pausedBecause: 'owner' | 'missed' | null
  nextOn: string | null
  /** By due day. */
  runs: Record<string, Run>
  /** The day of the last attempt of a run that waits for money. */
  triedOn: string | null
  lateCount: number
  /** Kinds with the days that they tell of. */
  mails: string[]
}

export type Step =
  | { do: 'pause' | 'resume' | 'end' }
  | { do: 'freeze' }
  | { do: 'unfreeze' }
  | { do: 'skip'; which: 'unnamed' | 'next' | 'other' }
  /** The newest day that has an outcome. */
  | { do: 'undo' }
  | {
      do: 'change'
      amount?: number
      retryDays?: number | null
      lastOn?: string | null
      onHoliday?: Model['onHoliday']
    }
  | { do: 'deposit'; amount: number }
  | { do: 'spend'; amount: number }

const lateRunsMax = 31

const toDate = (day: string): Date => new Date(`${day}T00:00:00Z`)
export function plus(day: string, count: number): string {
  const date = toDate(day)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** Whether the calendar has that day of the month, `29`, in the month of a day. */
const hasDay = (day: string, date: number): boolean => {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))]
  return new Date(Date.UTC(year, month - 1, date)).getUTCMonth() === month - 1
}

function isDue({ rhythm, firstOn, lastOn }: Series, day: string): boolean {
  if (day < firstOn || (lastOn !== null && day > lastOn)) return false
  if (rhythm === 'once') return day === firstOn
  if (rhythm === 'weekly') return toDate(day).getUTCDay() === toDate(firstOn).getUTCDay()
  const isMonth = rhythm === 'monthly' || day.slice(5, 7) === firstOn.slice(5, 7)
  const first = Number(firstOn.slice(8))
  const isLast = plus(day, 1).endsWith('-01')
  const isItsDay = hasDay(day, first) ? Number(day.slice(8)) === first : isLast
  return isMonth && isItsDay
}

/** The first due day at or after a day. */
function dueFrom(terms: Series, day: string): string | null {
  let each = day < terms.firstOn ? terms.firstOn : day
  // No rhythm is longer than a year.
  for (let count = 0; count <= 370; count++, each = plus(each, 1)) {
    if (isDue(terms, each)) return each
  }
  return null
}

/** Easter Sundays as another author has them. */
const sundays = JSON.parse(
  readFileSync(new URL('../rhythms/easter.json', import.meta.url), 'utf8'),
) as string[]

/** The holidays of TARGET, and weekends. */
const isHoliday = (day: string): boolean =>
  [0, 6].includes(toDate(day).getUTCDay()) ||
  ['01-01', '05-01', '12-25', '12-26'].includes(day.slice(5)) ||
  sundays.includes(plus(day, 2)) ||
  sundays.includes(plus(day, -1))

/** The day on which the next due day is paid. */
function payDay({ nextOn, onHoliday }: Model): string {
  let day = nextOn as string
  // No holidays are longer than a week.
  if (onHoliday !== 'pay') while (isHoliday(day)) day = plus(day, onHoliday === 'after' ? 1 : -1)
  return day
}

/** From the next day on, it is late: the due day, or the day of payment if that is later. */
const inTime = (model: Model): string =>
  [payDay(model), model.nextOn as string].toSorted()[1] as string

export const newModel = (
  terms: Series & Pick<Model, 'amount' | 'retryDays' | 'onHoliday' | 'balance'>,
): Model => ({
  ...terms,
  isFrozen: false,
  status: 'active',
  pausedBecause: null,
  nextOn: terms.firstOn,
  runs: {},
  triedOn: null,
  lateCount: 0,
  mails: ['order-made'],
})

function goTo(model: Model, nextOn: string | null): void {
  model.nextOn = nextOn
  if (nextOn !== null) return
  model.status = 'ended'
  model.pausedBecause = null
}

/** Takes a step on a day of the bank. Gives `done`, or the refusal, which leaves all as it was. */
export function take(model: Model, step: Step, today: string): string {
  if (step.do === 'deposit') model.balance += step.amount
  else if (step.do === 'freeze' || step.do === 'unfreeze') model.isFrozen = step.do === 'freeze'
  else if (model.isFrozen) return 'account_frozen'
  else if (step.do === 'spend') {
    if (step.amount > model.balance) return 'insufficient_funds'
    model.balance -= step.amount
  } else return takeOfOrder(model, step, today)
  return 'done'
}

export const newestRun = ({ runs }: Model): string | undefined =>
  Object.keys(runs).toSorted().at(-1)

type OrderStep = Exclude<Step, { do: 'freeze' | 'unfreeze' | 'deposit' | 'spend' }>

function takeOfOrder(model: Model, step: OrderStep, today: string): string {
  if (model.status === 'ended') return 'illegal_transition'
  const next = model.nextOn as string
  if (step.do === 'change') {
    const { amount = model.amount, retryDays = model.retryDays, lastOn = model.lastOn } = step
    const { onHoliday = model.onHoliday } = step
    if (lastOn !== null && lastOn < model.firstOn) return 'invalid_request'
    if (amount !== model.amount) model.mails.push('order-changed')
    Object.assign(model, { amount, retryDays: retryDays ?? 0, lastOn, onHoliday })
    if (lastOn !== null && next > lastOn) goTo(model, null)
  } else if (step.do === 'skip') {
    if (step.which === 'other') return 'illegal_transition'
    model.runs[next] = { outcome: 'skipped', refusal: null }
    goTo(model, dueFrom(model, plus(next, 1)))
  } else if (step.do === 'undo') {
    const day = newestRun(model)
    if (!day || model.runs[day]?.outcome !== 'skipped' || day < today) return 'illegal_transition'
    delete model.runs[day]
    goTo(model, day)
  } else if (step.do === 'pause') {
    Object.assign(model, { status: 'paused', pausedBecause: 'owner' })
  } else if (step.do === 'end') goTo(model, null)
  else if (model.status === 'paused') {
    Object.assign(model, { status: 'active', pausedBecause: null })
    let from = today
    // A day that has its outcome, also one skipped ahead, does not come again.
    for (const [day, { outcome }] of Object.entries(model.runs)) {
      if (outcome !== 'waiting' && day >= from) from = plus(day, 1)
    }
    goTo(model, dueFrom(model, from))
  }
  for (const [day, run] of Object.entries(model.runs)) {
    if (run.outcome === 'waiting' && day !== model.nextOn) run.outcome = 'refused'
  }
  // Whatever has changed, the next attempt is the first one.
  Object.assign(model, { triedOn: null, lateCount: 0 })
  return 'done'
}

/** All runs that are due on a day of the bank. */
export function work(model: Model, today: string): void {
  while (model.status === 'active' && payDay(model) <= today) {
    const { triedOn } = model
    if (triedOn === today && model.balance < model.amount) return
    tryOnce(model, today)
  }
}

function tryOnce(model: Model, today: string): void {
  const day = model.nextOn as string
  const { amount, balance, isFrozen, retryDays } = model
  const hasWaited = model.runs[day]?.outcome === 'waiting'
  const mayWait = today <= plus(inTime(model), retryDays)
  const isPoor = balance < amount
  const isTooLate = hasWaited && !mayWait
  const refusal =
    isTooLate || (isPoor && !isFrozen) ? 'insufficient_funds' : isFrozen ? 'account_frozen' : null
  if (!hasWaited) model.lateCount = inTime(model) < today ? model.lateCount + 1 : 0
  if (refusal === 'insufficient_funds' && retryDays > 0 && mayWait) {
    model.runs[day] = { outcome: 'waiting', refusal }
    model.triedOn = today
    return
  }
  model.runs[day] = { outcome: refusal === null ? 'made' : 'refused', refusal }
  if (refusal === null) model.balance -= amount
  else model.mails.push(`order-refused ${day}`)
  model.triedOn = null
  goTo(model, dueFrom(model, plus(day, 1)))
  if (model.lateCount < lateRunsMax || model.nextOn === null || payDay(model) > today) return
  Object.assign(model, { status: 'paused', pausedBecause: 'missed', lateCount: 0 })
  model.mails.push(`order-paused ${day}`)
}
