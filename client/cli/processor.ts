// `strongroom client processor`: a processor of card payments, to try a bank with. It authorises,
// captures whole or in parts, late, twice or too much, raises, releases and refunds payments, and
// lets some expire. Some it clears: when they have expired, above what was authorised, and twice.
// Some it charges back, beside refunds, and says how that ended. Its journal says what it counted.
import { systemClock } from '../../src/domain/clock.ts'
import type { AuthorizeCardPaymentBody, Bank, Chargeback, Currency } from '../src/index.ts'
import { money } from '../src/index.ts'
import { connectAgain } from './actions.ts'
import {
  type Answered,
  chanceOf,
  Contradiction,
  deliverNumbered,
  fewAtOnce,
  inRounds,
  type Journal,
  openJournal,
  type OtherSideOptions,
  deliverThrice,
} from './other-side.ts'
import { toTable } from './table.ts'

export type ProcessorOptions = OtherSideOptions & { cards?: string[]; currency: string }

/** A payment to authorise, and its fate. Times are milliseconds since the epoch. */
type AskedPayment = {
  asked: string
  cardId: string
  amount: string
  currency: Currency
  channel: AuthorizeCardPaymentBody['channel']
  fate: Fate
  at: number
}
/** It was approved. */
type Approved = { approved: string; paymentId: string }
/** A step that was taken with it. */
type Step = { step: string; kind: StepKind; asked: string; amount: string; currency: Currency }
export type ProcessorLine = AskedPayment | Approved | Step | Answered

type Outcome = 'won' | 'lost' | 'withdrawn'
type StepKind = 'capture' | 'clearing' | 'increment' | 'refund' | 'chargeback' | Outcome
/** `of`: the number of the step whose chargeback ends. */
type Planned = { units: bigint; isFinal?: true } & (
  | { kind: Exclude<StepKind, Outcome> }
  | { kind: Outcome; of: number }
)

type Side = {
  bank: Bank
  journal: Journal<ProcessorLine>
  signal: AbortSignal
  now(): number
  /** Payments whose last step is taken. */
  done: Set<string>
}

/** How long the authorisations last that are to expire. */
const shortMs = 2000
const lateMs = 1500
/** Clocks of a bank and of a processor differ. */
const marginMs = 1000

/** The steps of each fate, for an amount in minor units. The bank has to refuse some of them. */
const plans = {
  whole: (units) => [capture(units)],
  lost: (units) => [
    capture(units),
    chargeBack(units),
    refund(1n),
    end('lost', units, 2),
    refund(units),
    chargeBack(1n),
  ],
  'in parts': (units) => [part(units / 2n), capture(units - units / 2n)],
  late: (units) => [capture(units)],
  twice: (units) => [capture(units), capture(units)],
  'too much': (units) => [capture(2n * units), capture(units)],
  raised: (units) => [{ kind: 'increment', units }, capture(2n * units)],
  released: (units) => [capture(units)],
  refunded: (units) => [capture(units), refund(units / 2n), refund(units - units / 2n), refund(1n)],
  expired: (units) => [capture(units)],
  cleared: (units) => [clear(units), clear(1n), refund(units), refund(2n)],
  'cleared too much': (units) => [clear(2n * units), capture(1n)],
  won: (units) => [
    capture(units),
    refund(units / 2n),
    chargeBack(units),
    chargeBack(units - units / 2n),
    end('won', units - units / 2n, 4),
    refund(1n),
    chargeBack(1n),
  ],
  withdrawn: (units) => [
    clear(2n * units),
    chargeBack(2n * units),
    end('withdrawn', 2n * units, 2),
    chargeBack(units),
    refund(2n * units),
  ],
} satisfies Record<string, (units: bigint) => Planned[]>
type Fate = keyof typeof plans
const fates = Object.keys(plans) as Fate[]

function part(units: bigint): Planned {
  return { kind: 'capture', units }
}
function capture(units: bigint): Planned {
  return { kind: 'capture', units, isFinal: true }
}
function clear(units: bigint): Planned {
  return { kind: 'clearing', units }
}
function refund(units: bigint): Planned {
  return { kind: 'refund', units }
}
function chargeBack(units: bigint): Planned {
  return { kind: 'chargeback', units }
}
function end(kind: Outcome, units: bigint, of: number): Planned {
  return { kind, units, of }
}

export async function processor(options: ProcessorOptions): Promise<void> {
  const counts = await runProcessor(await connectAgain(options), options)
  if (options.json) return void process.stdout.write(`${JSON.stringify(counts)}\n`)
  const heading = [
    'Currency',
    'Approved',
    'Declined',
    'Captured',
    'Refunded',
    'Charged back',
    'In clearing',
  ]
  const rows = counts.map((each) => [
    each.currency,
    String(each.approved),
    String(each.declined),
    each.captured,
    each.refunded,
    each.chargedBack,
    each.clearing,
  ])
  process.stdout.write(toTable(heading, rows, heading.slice(1)))
}

/** Runs the processor at the given bank. Resolves with its counts. */
export async function runProcessor(bank: Bank, options: ProcessorOptions, { now } = systemClock()) {
  const { signal, json: isJson, cards = [] } = options
  const journal = openJournal<ProcessorLine>(options.journal)
  const side: Side = { bank, journal, signal, now, done: new Set() }
  await fewAtOnce(listAsked(journal), (asked) => authorize(side, asked))
  await inRounds(options, async () => {
    const before = journal.lines.length
    const fresh = cards.map((id) => ask(side, id, options.currency as Currency))
    await fewAtOnce(fresh, (asked) => authorize(side, asked))
    await fewAtOnce(listAsked(journal), (asked) => goOn(side, asked))
    const count = journal.lines.slice(before).filter((line) => 'step' in line).length
    if (!isJson && count > 0) process.stdout.write(`Steps: ${count}\n`)
  })
  return countProcessor(journal.lines)
}

/** The processor's counts by currency. `clearing` is its part of the bank's clearing account. */
export function countProcessor(lines: readonly ProcessorLine[]) {
  const taken = new Set(lines.flatMap((line) => ('id' in line ? [line.answered] : [])))
  const asked = listAsked({ lines })
  const approved = new Set(lines.flatMap((line) => ('approved' in line ? [line.approved] : [])))
  const steps = lines.filter((line) => 'step' in line && taken.has(line.step)) as Step[]
  return [...new Set(asked.map(({ currency }) => currency))].map((currency) => {
    const own = asked.filter((each) => each.currency === currency && taken.has(each.asked))
    const { captured, refunded, chargedBack } = sumSteps(
      steps.filter((step) => step.currency === currency),
      currency,
    )
    const count = own.filter((each) => approved.has(each.asked)).length
    return {
      currency,
      approved: count,
      declined: own.length - count,
      captured: money.format(captured, currency),
      refunded: money.format(refunded, currency),
      chargedBack: money.format(chargedBack, currency),
      clearing: money.format(captured - refunded - chargedBack, currency),
    }
  })
}

/** What steps that were taken come to; `chargedBack` by chargebacks that are open or won. */
function sumSteps(steps: readonly Step[], currency: Currency) {
  const sum = (...kinds: StepKind[]): bigint =>
    steps
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((total, { amount }) => total + money.parse(amount, currency), 0n)
  return {
    raised: sum('increment'),
    cleared: sum('clearing'),
    captured: sum('capture', 'clearing'),
    refunded: sum('refund'),
    chargedBack: sum('chargeback') - sum('lost', 'withdrawn'),
  }
}

const listAsked = ({ lines }: Pick<Journal<ProcessorLine>, 'lines'>): AskedPayment[] =>
  lines.filter((line) => 'fate' in line)

const channels = ['online', 'contactless', 'chip', 'cash'] as const

/** A new payment by the card, numbered as any other processor may number as well. */
function ask({ journal, now }: Side, cardId: string, currency: Currency): AskedPayment {
  const asked = String(listAsked(journal).length + 1).padStart(6, '0')
  const chance = (what: string, bound: number): number => chanceOf(`${what} ${asked}`, bound)
  const line = {
    asked,
    cardId,
    amount: money.format(BigInt(2 + chance('amount', 400)), currency),
    currency,
    channel: channels[chance('channel', channels.length)] as AskedPayment['channel'],
    fate: fates[chance('fate of', fates.length)] as Fate,
    at: now(),
  }
  journal.add(line)
  return line
}

const merchants = [
  { name: 'Lindner Lebensmittel', category: '5411', country: 'DE' },
  { name: '"Café <Zoë>"', category: '5812', country: 'FR' },
] as const
const endOf = ({ fate, at }: AskedPayment): number | undefined =>
  fate === 'expired' || fate === 'cleared' ? at + shortMs : undefined
const merchantOf = ({ asked }: AskedPayment): (typeof merchants)[number] =>
  merchants[chanceOf(asked, merchants.length)] as (typeof merchants)[number]

async function authorize(side: Side, asked: AskedPayment): Promise<void> {
  const { asked: externalId, cardId, amount, currency, channel } = asked
  const end = endOf(asked)
  // A new authorisation that ends in the past would be refused as wrong.
  if (end !== undefined && side.now() >= end && findAnswer(side, externalId) === undefined) {
    return void side.done.add(externalId)
  }
  const merchant = merchantOf(asked)
  const expiresAt = end === undefined ? undefined : new Date(end).toISOString()
  const body = { amount, currency, channel, merchant, externalId, expiresAt }
  const { bank, journal, signal } = side
  const deliver = () => bank.cards.authorizePayment(cardId, body, { signal })
  // While the bank is away the end of a short one passes: asked again, it is refused as wrong.
  const tooLate = end === undefined ? [] : (['invalid_request'] as const)
  const declines = ['limit_exceeded', 'not_found', ...tooLate] as const
  const answer = await deliverNumbered(side, externalId, deliver, declines)
  const paymentId = typeof answer === 'string' ? null : answer.paymentId
  if (paymentId === null) return void side.done.add(externalId)
  if (!findApproved(journal, externalId)) journal.add({ approved: externalId, paymentId })
}

const findApproved = ({ lines }: Journal<ProcessorLine>, asked: string) =>
  lines.find((line) => 'approved' in line && line.approved === asked) as Approved | undefined
const findAnswer = ({ journal }: Side, number: string) =>
  journal.lines.find((line) => 'answered' in line && line.answered === number) as
    | Answered
    | undefined

/** Takes the due steps of a payment. After a start it repeats the steps that it has taken. */
async function goOn(side: Side, asked: AskedPayment): Promise<void> {
  const { bank, journal, signal, now, done } = side
  const { asked: name, amount, currency, fate, at } = asked
  const paymentId = findApproved(journal, name)?.paymentId
  const end = endOf(asked)
  const isDue = now() >= (end === undefined ? at + (fate === 'late' ? lateMs : 0) : end + marginMs)
  if (done.has(name) || paymentId === undefined || !isDue) return
  if (fate === 'released') {
    await deliverThrice(signal, () => bank.cardPayments.release(paymentId, { signal }))
  }
  const units = money.parse(amount, currency)
  for (const [index, planned] of plans[fate](units).entries()) {
    // An end has the name of the step that it ends, and says how.
    const step = 'of' in planned ? `${name}-${planned.of}-${planned.kind}` : `${name}-${index + 1}`
    const line = {
      step,
      kind: planned.kind,
      asked: name,
      amount: money.format(planned.units, currency),
      currency,
    }
    await take(side, line, paymentId, { ...planned, payment: asked })
  }
  requirePossible(side, asked)
  done.add(name)
}

/** Refusals after which a processor gives a step up; `forbidden`: it was not granted to clear. */
const refusals = [
  'account_frozen',
  'forbidden',
  'illegal_transition',
  'limit_exceeded',
  'not_found',
] as const

async function take(
  side: Side,
  line: Step,
  paymentId: string,
  { payment, ...planned }: Planned & { payment: AskedPayment },
): Promise<void> {
  const { bank, journal, signal } = side
  const { step: externalId, asked, kind, amount, currency } = line
  if (findAnswer(side, externalId)?.refused !== undefined) return
  const ended = 'of' in planned ? findAnswer(side, `${asked}-${planned.of}`)?.id : ''
  // A chargeback that was refused has no end.
  if (ended === undefined) return
  if (!journal.lines.some((each) => 'step' in each && each.step === externalId)) journal.add(line)
  const body = { amount, currency, externalId }
  const { cardId, channel } = payment
  const cleared = { ...body, channel, merchant: merchantOf(payment), authorizationId: paymentId }
  const { isFinal } = planned
  const claim = { ...body, reason: '13.1' }
  /** What has taken the money back; what is won stays itself. */
  const end = async (ending: Promise<Chargeback>) => {
    const { id, takenBackBy } = await ending
    return { id: takenBackBy ?? id }
  }
  const deliver = {
    capture: () => bank.cardPayments.capture(paymentId, { ...body, final: isFinal }, { signal }),
    clearing: () => bank.cards.clearPayment(cardId, cleared, { signal }),
    increment: () => bank.cardPayments.increment(paymentId, body, { signal }),
    refund: () => bank.cardPayments.refund(paymentId, body, { signal }),
    chargeback: () => bank.cardPayments.chargeBackCardPayment(paymentId, claim, { signal }),
    won: () => end(bank.chargebacks.win(ended, { signal })),
    lost: () => end(bank.chargebacks.lose(ended, { signal })),
    withdrawn: () => end(bank.chargebacks.withdraw(ended, { signal })),
  }[kind] satisfies () => Promise<{ id: string }>
  await deliverNumbered(side, externalId, deliver, refusals)
}

/** No more was captured than authorised, no more came back, and nothing was taken after its end. */
function requirePossible({ journal }: Side, { asked, amount, currency, fate }: AskedPayment): void {
  const taken = new Set(journal.lines.flatMap((line) => ('id' in line ? [line.answered] : [])))
  const own = journal.lines.filter(
    (line) => 'step' in line && line.asked === asked && taken.has(line.step),
  ) as Step[]
  const { captured, cleared, refunded, chargedBack, raised } = sumSteps(own, currency)
  const isOver = fate === 'released' || fate === 'expired'
  const most = isOver ? 0n : money.parse(amount, currency) + raised
  if (captured - cleared > most) throw new Contradiction(`${asked} was captured for too much`)
  if (refunded + chargedBack > captured)
    throw new Contradiction(`${asked} was refunded for too much`)
}
