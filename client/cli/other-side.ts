// Shared by the programs that play another bank or a card processor, to try a bank with. Such a
// program keeps a journal of what its side knows. It delivers everything three times, and the whole
// journal again at each start: a kill at any moment is only one more repetition.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { scheduler } from 'node:timers/promises'
import { ApiError, isBankError } from '../src/index.ts'
import type { Common } from './actions.ts'
import { Ended, UsageError } from './exit.ts'

export type OtherSideOptions = Common & { journal: string; rounds?: number }

/** Lines of JSON. `add` returns once the line is in the file. */
export type Journal<L> = { lines: readonly L[]; add(line: L): void }

const fileMode = 0o600

/** Opens it for one program at a time. Throws {@link UsageError} when the file cannot be used. */
export function openJournal<L>(file: string): Journal<L> {
  try {
    appendFileSync(file, '', { mode: fileMode })
    const text = readFileSync(file, 'utf8')
    // A kill can leave the last line without its end.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    if (whole !== text) writeFileSync(file, whole)
    const lines = whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as L)
    return {
      lines,
      add(line) {
        appendFileSync(file, `${JSON.stringify(line)}\n`)
        lines.push(line)
      },
    }
  } catch (thrown) {
    throw new UsageError(`The journal ${file} cannot be used: ${(thrown as Error).message}`)
  }
}

const pauseMs = 500

export async function pause(signal: AbortSignal): Promise<void> {
  await scheduler.wait(pauseMs, { signal }).catch(() => signal.throwIfAborted())
}

const attemptsMax = 20

/** Two deliveries at once and a third after them, each repeated while its outcome is unknown. */
export async function deliverThrice<T>(
  signal: AbortSignal,
  deliver: () => Promise<T>,
): Promise<[T, T, T]> {
  const untilKnown = async (): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await deliver()
      } catch (thrown) {
        signal.throwIfAborted()
        const isUnknown = isBankError(thrown) && thrown.code === 'outcome_unknown'
        if (!isUnknown || attempt === attemptsMax) throw thrown
        await pause(signal)
      }
    }
  }
  const [first, second] = await Promise.all([untilKnown(), untilKnown()])
  return [first, second, await untilKnown()]
}

/** The answer, or the code of the refusal if it is one of these. */
export const orCode = <T, C extends string>(
  answer: Promise<T>,
  codes: readonly C[],
): Promise<T | C> =>
  answer.catch((thrown: unknown) => {
    const code = thrown instanceof ApiError && codes.find((each) => each === thrown.code)
    if (!code) throw thrown
    return code
  })

/** The bank treated two deliveries of one message as two. Ends the program. */
export class Contradiction extends Ended {
  constructor(what: string) {
    super('refused', `The bank contradicts itself: ${what}.`)
  }
}

/**
 * The bank's answer about an external identifier: the identifier of its resource, or the refusal.
 */
export type Answered = { answered: string; id?: string; refused?: string }
type Answers = { lines: readonly object[]; add(line: Answered): void }

/**
 * Delivers a numbered message three times and notes the outcome in the journal. Gives the last
 * answer, or the code of the refusal. Throws {@link Contradiction} if the bank has two resources
 * for it, or accepted it and then refuses it. A refused message may be accepted later, and then
 * stays accepted.
 */
export async function deliverNumbered<T extends { id: string }, C extends string>(
  { journal, signal }: { journal: Answers; signal: AbortSignal },
  number: string,
  deliver: () => Promise<T>,
  refusals: readonly C[],
): Promise<T | C> {
  const answers = await deliverThrice(signal, () => orCode(deliver(), refusals))
  const isOfNumber = (line: object): line is Answered =>
    (line as Partial<Answered>).answered === number
  const known = journal.lines.find(isOfNumber)
  const ids = answers.flatMap((answer) => (typeof answer === 'string' ? [] : [answer.id]))
  const [id] = requireOne(number, known?.id === undefined ? ids : [known.id, ...ids])
  const last = answers[2]
  if (id !== undefined && typeof last === 'string') {
    throw new Contradiction(`${number} was taken and then refused as ${last}`)
  }
  if (!known) {
    journal.add({
      answered: number,
      ...(typeof last === 'string' ? { refused: last } : { id: last.id }),
    })
  }
  return last
}

/** The identifier, if there is one. Throws {@link Contradiction} when they differ. */
export function requireOne(what: string, ids: readonly string[]): string[] {
  const all = [...new Set(ids)]
  if (all.length > 1) throw new Contradiction(`${what} is ${all.join(' and ')}`)
  return all
}

/** Runs that many rounds, or rounds until the signal, with a pause after each. */
export async function inRounds(
  { rounds = Infinity, signal }: OtherSideOptions,
  round: () => Promise<void>,
): Promise<void> {
  for (let number = 1; ; number++) {
    await round()
    if (number >= rounds) return
    await pause(signal)
  }
}

/**
 * Works on a few items at a time, since the bank limits a caller. After a failure no further item
 * is begun.
 */
export async function fewAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>) {
  const open = [...items]
  const next = async (): Promise<void> => {
    for (let item = open.shift(); item !== undefined; item = open.shift()) await work(item)
  }
  await Promise.all([next(), next(), next(), next()]).finally(() => open.splice(0))
}

/**
 * A number from 0 up to `bound` that depends on the name alone, so it is the same at each start.
 */
export const chanceOf = (name: string, bound: number): number =>
  createHash('sha256').update(name).digest().readUInt32BE() % bound
