// `strongroom client rail`: a bank elsewhere, to try this one with. It takes pending payments and
// settles them, brings some back before or after they have arrived, and sends payments of its own.
// Its journal says what it counted.
import type { Bank, Currency, Transfer, TransferOutcome } from '../src/index.ts'
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
  orCode,
  type OtherSideOptions,
  pause,
  requireOne,
  deliverThrice,
} from './other-side.ts'
import { toTable } from './table.ts'

export type RailOptions = OtherSideOptions & { credit?: string[]; currency: string }

/** A payment that this rail has sent, and its fate at the other bank. */
type Carried = {
  carried: string
  amount: string
  currency: Currency
  fate: 'arrives' | 'is rejected' | 'comes back'
}
/** A payment from elsewhere, by its external identifier. */
type Sent = { sent: string; iban: string; amount: string; currency: Currency; keeps: boolean }
export type RailLine = Carried | Sent | Answered

type Side = {
  admin: Bank['admin']
  journal: Journal<RailLine>
  signal: AbortSignal
  /** Payments that are not this rail's: cancelled, or taken by another one. */
  others: Set<string>
}

export async function rail(options: RailOptions): Promise<void> {
  const counts = await runRail(await connectAgain(options), options)
  if (options.json) return void process.stdout.write(`${JSON.stringify(counts)}\n`)
  const heading = ['Currency', 'Taken', 'Brought back', 'Delivered', 'In clearing']
  const rows = counts.map((each) => [
    each.currency,
    each.taken,
    each.broughtBack,
    each.delivered,
    each.clearing,
  ])
  process.stdout.write(toTable(heading, rows, heading.slice(1)))
}

/** Runs the rail at the given bank. Resolves with its counts. */
export async function runRail({ admin }: Bank, options: RailOptions) {
  const { signal, json: isJson, credit = [] } = options
  const journal = openJournal<RailLine>(options.journal)
  const side: Side = { admin, journal, signal, others: new Set() }
  await carryOn(side, listCarried(journal))
  await fewAtOnce(listOpen(journal), (sent) => deliver(side, sent))
  await inRounds(options, async () => {
    const before = journal.lines.length
    await take(side, 'pending')
    // A rail that was killed may have sent these without a line in its journal.
    await take(side, 'sent')
    const fresh = credit.map((iban) => send(journal, iban, options.currency as Currency))
    await fewAtOnce(fresh, (sent) => deliver(side, sent))
    const count = journal.lines.slice(before).filter((line) => !('sent' in line)).length
    if (!isJson && count > 0) process.stdout.write(`Carried: ${count}\n`)
  })
  return countRail(journal.lines)
}

/**
 * The rail's counts by currency. `clearing` is the balance of the bank's clearing account, if no
 * other rail works on it and no payment is pending.
 */
export function countRail(lines: readonly RailLine[]) {
  const credited = new Set(lines.flatMap((line) => ('id' in line ? [line.answered] : [])))
  const carried = lines.filter((line) => 'carried' in line)
  const delivered = lines.filter((line) => 'sent' in line && credited.has(line.sent)) as Sent[]
  const currencies = new Set([...carried, ...delivered].map(({ currency }) => currency))
  return [...currencies].map((currency) => {
    const sum = (some: readonly (Carried | Sent)[]): bigint =>
      some
        .filter((each) => each.currency === currency)
        .reduce((total, { amount }) => total + money.parse(amount, currency), 0n)
    const [taken, came] = [sum(carried), sum(delivered)]
    const back = sum(carried.filter(({ fate }) => fate !== 'arrives'))
    const text = (units: bigint): string => money.format(units, currency)
    return {
      currency,
      taken: text(taken),
      broughtBack: text(back),
      delivered: text(came),
      clearing: text(taken - back - came),
    }
  })
}

const listCarried = ({ lines }: Journal<RailLine>): Carried[] =>
  lines.filter((line) => 'carried' in line)

/** This rail's own payments without the refused ones, which it has sent back. */
function listOpen({ lines }: Journal<RailLine>): Sent[] {
  const refused = new Set(lines.flatMap((line) => ('refused' in line ? [line.answered] : [])))
  return lines.filter((line) => 'sent' in line).filter(({ sent }) => !refused.has(sent))
}

const partMax = 200

const inParts = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / partMax) }, (_, index) =>
    items.slice(index * partMax, (index + 1) * partMax),
  )

/** Codes of an item that may have had an effect, or have one later. */
const open: readonly string[] = ['outcome_unknown', 'rate_limited', 'unavailable']
const isKnown = (outcome: TransferOutcome | undefined): outcome is TransferOutcome =>
  outcome !== undefined && !open.includes(outcome.error?.code ?? '')

/** Takes the payments in that state that no other rail has, and carries them on. */
async function take(side: Side, status: 'pending' | 'sent'): Promise<void> {
  const { admin, journal, signal, others } = side
  const own = new Set(listCarried(journal).map(({ carried }) => carried))
  const found: Transfer[] = []
  for await (const payment of admin.transfers.find({ status, limit: 100 }, { signal })) {
    if (!own.has(payment.id) && !others.has(payment.id)) found.push(payment)
  }
  for (const part of inParts(found)) {
    // The payment's own identifier: a rail that starts anew without its journal has the same.
    const items = part.map(({ id }) => ({ id, externalId: id }))
    const answers = await deliverThrice(signal, () =>
      admin.transfers.sendBatch({ items }, { signal }),
    )
    const taken = part.flatMap(({ id, amount, currency }, index) => {
      const known = answers.map(({ results }) => results[index]).filter(isKnown)
      const isTaken = known.some(({ transfer }) => transfer !== undefined)
      if (isTaken && known.some(({ error }) => error !== undefined)) {
        throw new Contradiction(`payment ${id} was both given and refused`)
      }
      if (!isTaken && known.length > 0) others.add(id)
      return isTaken ? [{ carried: id, amount, currency, fate: fateOf(id) }] : []
    })
    for (const each of taken) journal.add(each)
    await carryOn(side, taken)
  }
}

function fateOf(id: string): Carried['fate'] {
  const chance = chanceOf(id, 8)
  return chance === 0 ? 'is rejected' : chance === 1 ? 'comes back' : 'arrives'
}

/** Reports to the bank what became of payments. Each step may have been taken before. */
async function carryOn({ admin, signal }: Side, payments: readonly Carried[]): Promise<void> {
  const arrived = payments.filter(({ fate }) => fate !== 'is rejected')
  for (const part of inParts(arrived.map(({ carried: id }) => ({ id })))) {
    for (let items = part; items.length > 0;) {
      const asked = items
      const answers = await deliverThrice(signal, () =>
        admin.transfers.settleBatch({ items: asked }, { signal }),
      )
      items = asked.filter((_, index) => !answers.some(({ results }) => isKnown(results[index])))
      if (items.length > 0) await pause(signal)
    }
  }
  await fewAtOnce(
    payments.filter(({ fate }) => fate !== 'arrives'),
    async ({ carried: id, fate }) => {
      const reasonCode = fate === 'is rejected' ? 'AC04' : 'MD06'
      const body = { reasonCode, externalId: `return ${id}` } as const
      const answers = await deliverThrice(signal, () =>
        // Staff may have reversed it: the money is back then, too.
        orCode(admin.transfers.return(id, { body, signal }), ['already_reversed']),
      )
      const transfers = answers.flatMap((answer) =>
        typeof answer === 'string' ? [] : [answer.reversedBy ?? answer.id],
      )
      requireOne(`the return of ${id}`, transfers)
    },
  )
}

/** A new payment from elsewhere, numbered as any other rail may number as well. */
function send(journal: Journal<RailLine>, iban: string, currency: Currency): Sent {
  const number = journal.lines.filter((line) => 'sent' in line).length + 1
  const sent = String(number).padStart(6, '0')
  const amount = money.format(BigInt(1 + chanceOf(`${iban} ${sent}`, 500)), currency)
  const line = { sent, iban, amount, currency, keeps: number % 2 === 0 }
  journal.add(line)
  return line
}

const payers = ['Grace Hopper', '"Müller & Söhne" <GmbH>', 'Ελένη', '王伟', '  ']
/** Refusals upon which a rail sends the money back. */
const refusals = [
  'account_closed',
  'credits_blocked',
  'currency_mismatch',
  'forbidden',
  'not_found',
] as const

async function deliver(side: Side, line: Sent): Promise<void> {
  const { sent: externalId, iban, amount, currency, keeps } = line
  const body = {
    iban,
    amount,
    currency,
    externalId,
    debtor: { name: payers[chanceOf(externalId, payers.length)] as string },
    reference: `Payment ${externalId}`,
    endToEndId: externalId,
    ...(keeps && { onRefusal: 'suspense' as const }),
  }
  const { admin, signal } = side
  const create = () => admin.incomingPayments.create(body, { signal })
  await deliverNumbered(side, externalId, create, refusals)
}
