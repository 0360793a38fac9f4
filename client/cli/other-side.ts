// What the programs to try a bank with share. Each plays another bank or a network. It keeps a
// journal of what that side knows, delivers everything three times, and the whole journal again at
// each start, so that a kill at any moment is one more repetition.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { scheduler } from 'node:timers/promises'
import { ApiError, isBankError } from '../src/index.ts'
import type { Common } from './actions.ts'
import { Ended, UsageError } from './exit.ts'

export type OtherSideOptions = Common & { journal: string; rounds?: number }

/** Lines of JSON, each in the file before the program goes on. */
export type Journal<L> = { lines: readonly L[]; add(line: L): void }

const fileMode = 0o600

/** Of one program at a time. Throws {@link UsageError} when the file cannot be used. */
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
export async function thrice<T>(
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

/** The bank took two deliveries of one thing for two things. Ends the program. */
export class Contradiction extends Ended {
  constructor(what: string) {
    super('refused', `The bank contradicts itself: ${what}.`)
  }
}

/** What the bank has said of something numbered: what it is there, or why it was refused. */
export type Answered = { answered: string; id?: string; refused?: string }
type Answers = { lines: readonly object[]; add(line: Answered): void }

/**
 * Delivers something numbered three times, and notes what it came to. Gives the last answer, or the
 * code of the refusal. Throws {@link Contradiction} when it is two things in the bank, or was taken
 * and is refused. One that was refused may be taken later, and then stays.
 */
export async function deliverNumbered<T extends { id: string }, C extends string>(
  { journal, signal }: { journal: Answers; signal: AbortSignal },
  number: string,
  deliver: () => Promise<T>,
  refusals: readonly C[],
): Promise<T | C> {
  const answers = await thrice(signal, () => orCode(deliver(), refusals))
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

/** None or one. */
export function requireOne(what: string, ids: readonly string[]): string[] {
  const all = [...new Set(ids)]
  if (all.length > 1) throw new Contradiction(`${what} is ${all.join(' and ')}`)
  return all
}

/** Runs rounds with a pause between them, so many or until the signal. */
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

/** A few at once, for the bank limits a caller. After a failure none is begun. */
export async function fewAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>) {
  const open = [...items]
  const next = async (): Promise<void> => {
    for (let item = open.shift(); item !== undefined; item = open.shift()) await work(item)
  }
  await Promise.all([next(), next(), next(), next()]).finally(() => open.splice(0))
}

/** Chance that is the same for a name at each start: a whole number from 0 up to the bound. */
export const chanceOf = (name: string, bound: number): number =>
  createHash('sha256').update(name).digest().readUInt32BE() % bound
