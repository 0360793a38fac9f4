// `strongroom client rail-files`: payments to other banks as files of ISO 20022; what comes back as
// files is booked at the bank. The example from which a bank makes its own rail.
//
// No payment is in two files, and none is lost. A payment belongs to the batch by whose number the
// bank has marked it as sent: whatever runs beside this program gets a refusal for it. A batch that
// was begun is ended at the next start: its file goes to `out` by one renaming, behind which the
// batch is over. Numbers of calls are made of what a file says: a repeated file has no effect.
import { createHash, randomUUID } from 'node:crypto'
import { type Clock, rfc3339, systemClock } from '../../src/domain/clock.ts'
import {
  type Bank,
  type Currency,
  isBankError,
  type Transfer,
  type TransferOutcome,
} from '../src/index.ts'
import { type Common, connectAgain } from './actions.ts'
import { Ended, UsageError } from './exit.ts'
import { inRounds, pause } from './other-side.ts'
import { Folder, type Journal } from './rail-files/folder.ts'
import type { Step } from './rail-files/judged.ts'
import { type JournalLine, Known } from './rail-files/known.ts'
import { readSteps } from './rail-files/received.ts'
import { type Batch, renderBatch, toOutgoing, type WrittenBy } from './rail-files/written.ts'
import { FileFault, fileBytesMax } from './rail-files/xml.ts'

export type RailFilesOptions = Common & {
  files: string
  name: string
  bic?: string
  sponsor?: string
  follow?: boolean
}

type Side = {
  admin: Bank['admin']
  signal: AbortSignal
  folder: Folder
  journal: Journal<JournalLine>
  known: Known
  clock: Clock
}

export type RailFilesCounts = {
  written: number
  settled: number
  returned: number
  credited: number
  refused: number
}

export async function railFiles(options: RailFilesOptions): Promise<void> {
  const counts = await runRailFiles(await connectAgain(options), options)
  const rows = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  process.stdout.write(options.json ? `${JSON.stringify(counts)}\n` : `${rows.join(', ')}\n`)
  if (counts.refused > 0) {
    throw new Ended('refused', `Files refused: ${counts.refused}. See the folder refused.`)
  }
}

/** Works at the given bank: one round, or until the signal. */
export async function runRailFiles(
  { admin }: Pick<Bank, 'admin'>,
  options: RailFilesOptions,
  clock: Clock = systemClock(),
): Promise<RailFilesCounts> {
  const { signal, files, name, bic, sponsor } = options
  requireOptions(options)
  const folder = new Folder(files)
  const journal = folder.openJournal<JournalLine>()
  const side: Side = { admin, signal, folder, journal, known: new Known(journal.lines), clock }
  const by = { name, ...(bic !== undefined && { bic }), ...(sponsor !== undefined && { sponsor }) }
  const counts = { written: 0, settled: 0, returned: 0, credited: 0, refused: 0 }
  const rounds = options.follow ? Number.POSITIVE_INFINITY : 1
  await inRounds({ ...options, journal: '', rounds }, async () => {
    counts.written += await writeAll(side, by)
    for (const file of folder.list('in')) {
      const { settled, returned, credited, refusal } = await readOne(side, file)
      counts.settled += settled
      counts.returned += returned
      counts.credited += credited
      if (refusal === undefined) continue
      counts.refused++
      process.stderr.write(`${file}: ${refusal}\n`)
    }
  })
  return counts
}

const bicForm = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/
const ibanForm = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/

function requireOptions({ name, bic, sponsor }: WrittenBy): void {
  if (name.trim() === '' || name.length > 140)
    throw new UsageError('--name has 1 to 140 characters.')
  if (bic !== undefined && !bicForm.test(bic)) throw new UsageError('--bic is no BIC.')
  if (sponsor !== undefined && !ibanForm.test(sponsor))
    throw new UsageError('--sponsor is no IBAN.')
}

const batchMax = 1000
const partMax = 200

/** Writes files of all payments that leave today. Gives how many payments are in them. */
async function writeAll(side: Side, by: WrittenBy): Promise<number> {
  let count = 0
  for (const name of side.folder.list('open')) {
    if (name.endsWith('.json')) count += await finish(side, readBatch(side, name))
  }
  const day = dayOf(side.clock)
  const found: Transfer[] = []
  for await (const payment of side.admin.transfers.find(
    { status: 'pending', limit: 100 },
    { signal: side.signal },
  )) {
    // A payment may be cancelled until its day.
    if ((payment.leavesOn ?? day) <= day) found.push(payment)
  }
  for (const [currency, payments] of groupOldestFirst(found)) {
    for (let from = 0; from < payments.length; from += batchMax) {
      const batch = {
        ...by,
        batch: randomUUID(),
        createdAt: rfc3339(side.clock.now()),
        day,
        currency,
        payments: payments.slice(from, from + batchMax),
      }
      side.folder.write('open', `${batch.batch}.json`, JSON.stringify(batch))
      count += await finish(side, batch)
    }
  }
  return count
}

/** By the clock and the time zone of this machine. */
function dayOf(clock: Clock): string {
  const now = new Date(clock.now())
  const part = (number: number): string => String(number).padStart(2, '0')
  return `${now.getFullYear()}-${part(now.getMonth() + 1)}-${part(now.getDate())}`
}

function groupOldestFirst(found: readonly Transfer[]): Map<Currency, Batch['payments']> {
  const groups = new Map<Currency, Batch['payments']>()
  for (const payment of found.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const outgoing = toOutgoing(payment)
    if (!outgoing) {
      process.stderr.write(`Payment ${payment.id} names no account: staff have to end it.\n`)
      continue
    }
    const { currency } = outgoing
    const group = groups.get(currency) ?? []
    group.push(outgoing)
    groups.set(currency, group)
  }
  return groups
}

const readBatch = ({ folder }: Side, name: string): Batch =>
  JSON.parse(folder.read('open', name).toString()) as Batch

/**
 * Marks the payments of a batch as sent, and hands over its file. Each step may have been taken
 * before. Gives how many payments are in the file.
 */
async function finish(side: Side, batch: Batch): Promise<number> {
  const { folder, journal, known } = side
  const plan = `${batch.batch}.json`
  const made = `${batch.batch}.xml`
  let count = 0
  if (!known.batches.has(batch.batch)) {
    const payments = await take(side, batch)
    if (payments.length > 0) {
      const { messageId, name: file, text } = renderBatch({ ...batch, payments })
      folder.write('open', made, text)
      const sent = payments.map(({ id, endToEndId, amount, currency }) => ({
        id,
        endToEndId,
        amount,
        currency,
      }))
      const line = { batch: batch.batch, messageId, file, payments: sent }
      journal.add(line)
      known.learn(line)
    }
  }
  const line = journal.lines.find((each) => 'batch' in each && each.batch === batch.batch)
  // Behind the renaming there is nothing left to hand over: the other side may have taken the file.
  if (line && 'batch' in line && folder.has('open', made)) {
    folder.move('open', made, 'out', line.file)
    count = line.payments.length
  }
  folder.remove('open', plan)
  return count
}

/** Codes of an item that may have had an effect, or have one later. */
const open: readonly string[] = ['outcome_unknown', 'rate_limited', 'unavailable']
const triesMax = 20

/** Those payments of the batch that the bank gives to it. */
async function take(
  { admin, signal }: Side,
  { batch, payments }: Batch,
): Promise<Batch['payments']> {
  const taken = new Set<string>()
  for (let from = 0; from < payments.length; from += partMax) {
    let items = payments
      .slice(from, from + partMax)
      .map(({ id }) => ({ id, externalId: `${batch} ${id}` }))
    for (let tries = 1; items.length > 0; tries++) {
      const asked = items
      const { results } = await admin.transfers.sendBatch({ items: asked }, { signal })
      for (const { id, transfer } of results) if (transfer) taken.add(id)
      items = asked.filter((_, index) => isOpen(results[index]))
      if (items.length > 0) await waitAgain(signal, tries)
    }
  }
  return payments.filter(({ id }) => taken.has(id))
}

const isOpen = (outcome: TransferOutcome | undefined): boolean =>
  outcome === undefined || open.includes(outcome.error?.code ?? '')

async function waitAgain(signal: AbortSignal, tries: number): Promise<void> {
  if (tries >= triesMax) throw new Ended('unknown', 'The bank does not say what became of it.')
  await pause(signal)
}

type ReadCounts = { settled: number; returned: number; credited: number; refusal?: string }

/** Books a file and moves it aside. */
async function readOne(side: Side, name: string): Promise<ReadCounts> {
  const { folder } = side
  const none = { settled: 0, returned: 0, credited: 0 }
  const refuse = (refusal: string, counts = none): ReadCounts => {
    const free = folder.freeName('refused', name)
    folder.write('refused', `${free}.reason.txt`, `${refusal}\n`)
    folder.move('in', name, 'refused', free)
    return { ...counts, refusal }
  }
  let steps: Step[]
  try {
    if (folder.sizeOf('in', name) > fileBytesMax) {
      throw new FileFault(1, `is larger than ${fileBytesMax} bytes`)
    }
    steps = judge(side, readSteps(folder.read('in', name), side.known))
  } catch (thrown) {
    if (!(thrown instanceof FileFault)) throw thrown
    return refuse(`line ${thrown.line}: ${thrown.message}`)
  }
  const { counts, faults } = await book(side, steps)
  if (faults.length > 0) {
    const rest = `Booked: ${steps.length - faults.length} of ${steps.length}.`
    return refuse([...faults, rest].join('\n'), counts)
  }
  folder.move('in', name, 'done', folder.freeName('done', name))
  return counts
}

const hashOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** The steps that are left to take, beside what other files have told. Throws {@link FileFault}. */
function judge({ known }: Side, steps: readonly Step[]): Step[] {
  return steps.filter((step) => {
    if (step.what === 'credit') {
      const hash = known.credited.get(step.body.externalId)
      if (hash !== undefined && hash !== hashOf(step.body)) {
        throw new FileFault(step.line, `${step.body.externalId} was another credit before`)
      }
      return true
    }
    const before = known.returned.get(step.id)
    // It has arrived before it came back: the books have no other sum.
    if (step.what === 'settle') return before === undefined
    if (!before) return true
    if (
      before.teller === step.teller &&
      before.number !== step.number &&
      step.teller !== 'status'
    ) {
      throw new FileFault(step.line, `came back before, by ${before.number}`)
    }
    // Two kinds of message tell the same return; only its first number is that of the call.
    return before.teller === step.teller && before.number === step.number
  })
}

function noteBefore({ journal, known }: Side, steps: readonly Step[]): void {
  const lines = steps.flatMap((step): JournalLine[] => {
    const { teller } = step
    if (step.what === 'credit') {
      const { externalId: credited } = step.body
      return known.credited.has(credited) ? [] : [{ credited, hash: hashOf(step.body) }]
    }
    if (step.what === 'settle') {
      return known.settled.has(step.id) ? [] : [{ settled: step.id, teller }]
    }
    const { id: returned, number } = step
    return known.returned.has(returned) ? [] : [{ returned, teller, number }]
  })
  journal.add(...lines)
  for (const line of lines) known.learn(line)
}

/** Answers of the bank that are about one step alone. Each other one ends the program. */
const ofOneStep: readonly string[] = [
  'account_closed',
  'already_reversed',
  'credits_blocked',
  'currency_mismatch',
  'idempotency_key_reused',
  'illegal_transition',
  'invalid_request',
  'not_found',
]

type Booked = { counts: Omit<ReadCounts, 'refusal'>; faults: string[] }

async function book(side: Side, steps: readonly Step[]): Promise<Booked> {
  const counts = { settled: 0, returned: 0, credited: 0 }
  const faults: string[] = []
  noteBefore(side, steps)
  const settles = steps.filter((step) => step.what === 'settle')
  for (let from = 0; from < settles.length; from += partMax) {
    const part = settles.slice(from, from + partMax)
    const refused = await settle(side, part)
    counts.settled += part.length - refused.length
    faults.push(...refused)
  }
  for (const step of steps) {
    if (step.what === 'settle') continue
    const count = step.what === 'return' ? 'returned' : 'credited'
    const code = await bookOne(side, step)
    if (code === undefined) counts[count]++
    else faults.push(toFault(step, code))
  }
  return { counts, faults }
}

const toFault = ({ line }: Step, code: string): string =>
  `line ${line}: the bank refuses it: ${code}`

/** Gives the faults of those that the bank refuses. */
async function settle(
  { admin, signal }: Side,
  steps: readonly (Step & { what: 'settle' })[],
): Promise<string[]> {
  const faults: string[] = []
  let left = steps
  for (let tries = 1; left.length > 0; tries++) {
    const asked = left
    const items = asked.map(({ id }) => ({ id, externalId: `settle ${id}` }))
    const { results } = await admin.transfers.settleBatch({ items }, { signal })
    left = asked.filter((_, index) => isOpen(results[index]))
    asked.forEach((step, index) => {
      const code = results[index]?.error?.code
      if (code !== undefined && !open.includes(code)) faults.push(toFault(step, code))
    })
    if (left.length > 0) await waitAgain(signal, tries)
  }
  return faults
}

/** Gives the code of the bank's refusal. */
async function bookOne(
  { admin, signal }: Side,
  step: Exclude<Step, { what: 'settle' }>,
): Promise<string | undefined> {
  try {
    if (step.what === 'credit') {
      await admin.incomingPayments.create(step.body, { signal })
    } else {
      const body = { reasonCode: step.reasonCode, externalId: `return ${step.id}` }
      await admin.transfers.return(step.id, { body, signal })
    }
    return undefined
  } catch (thrown) {
    if (!isBankError(thrown) || !ofOneStep.includes(thrown.code)) throw thrown
    return thrown.code
  }
}
