// The decisions of one turn of the event loop, in one message to the store: how they are written
// down for the script, and how its answer is read. What is asked while a message is under way goes
// with the next one: a busy store gets few long messages, of which a decision costs half as much.
import { Refusal } from '../../domain/errors.ts'
import type { Link } from './redis-link.ts'
import { connectTimeoutMs } from './redis-link.ts'
import { type Limit, microseconds, type Usage } from '../window.ts'

/** As redis-windows.lua names them. */
export type Verb = 'take' | 'peek' | 'next' | 'counted' | 'free' | 'back'
const letters: Record<Verb, string> = {
  take: 't',
  peek: 'p',
  next: 'n',
  counted: 'c',
  free: 'f',
  back: 'b',
}

/** What is asked of one window: its name in the store and, to settle a slot, its time. */
export type Slot = { name: string; limit: Limit; recordedAt?: number }

/**
 * The wait in microseconds; -1 for a decision that was not asked for. The times that were recorded,
 * by the index of their slots, where they may be settled.
 */
export type Verdict = { wait: number; usages: Usage[]; times: number[] }

type Question = PromiseWithResolvers<Verdict> & {
  verb: Verb
  slots: readonly Slot[]
  since: number
}

/** Longer messages would hold the store up: this many take it about 2 ms. */
const decisionsPerMessageMax = 200
const firstLimitCode = 48
/** With more, the character of one would be a verb. */
export const limitsMax =
  Math.min(...Object.values(letters).map((letter) => letter.charCodeAt(0))) - firstLimitCode

const isSettlement = (verb: Verb): boolean =>
  verb === 'counted' || verb === 'free' || verb === 'back'

/**
 * @param testTime in microseconds, in place of the store's clock; for tests
 */
export function createTurn(link: Link, testTime: () => string) {
  let waiting: Question[] = []
  /** Messages without an answer yet. */
  let underWay = 0

  function ask(verb: Verb, slots: readonly Slot[]): Promise<Verdict> {
    if (waiting.length === 0 && underWay === 0) setImmediate(flush)
    const asked = { ...Promise.withResolvers<Verdict>(), verb, slots, since: performance.now() }
    waiting.push(asked)
    return asked.promise
  }

  function flush(): void {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length;) {
      let stop = Math.min(from + decisionsPerMessageMax, all.length)
      // What depends on the decision before it is sent with it.
      while (all[stop]?.verb === 'next') stop++
      void send(all.slice(from, stop))
      from = stop
    }
  }

  /**
   * The script gets a deadline: run after its requests were answered, it charges nothing. If the
   * store's clock was set meanwhile, its first answer says so, and the second attempt succeeds.
   */
  async function send(all: readonly Question[]): Promise<void> {
    const time = testTime()
    const deadline = time === '' ? Math.ceil(link.time() + microseconds(connectTimeoutMs)) : ''
    const { keys, values } = encode(all)
    underWay++
    try {
      // Counted before the answer is read: one that cannot be read ends the message as well.
      const numbers = await link.run(keys, [time, deadline, ...values]).finally(() => underWay--)
      link.learn(numbers[0] as number)
      decode(all, numbers)
    } catch (thrown) {
      for (const { reject } of all.concat(waiting)) reject(thrown)
      waiting = []
    }
    if (underWay === 0 && waiting.length > 0) flush()
  }

  /** Answers each; decisions that came too late are asked for once more. */
  function decode(all: readonly Question[], numbers: readonly number[]): void {
    const isLate = numbers.length === 1
    let at = 1
    const late: Question[] = []
    for (const asked of all) {
      const { verb, slots, resolve } = asked
      if (isSettlement(verb)) resolve({ wait: 0, usages: [], times: [] })
      else if (isLate) late.push(asked)
      else {
        const wait = numbers[at++] as number
        const times: number[] = []
        const told = wait < 0 ? [] : slots
        // The array has the right length at once: this runs twice for every request.
        const usages = told.map(({ limit }, index) => {
          const [remaining, reset] = [numbers[at++] as number, numbers[at++] as number]
          if (verb === 'next' || limit.isReserved) times[index] = numbers[at++] as number
          return { remaining, resetMs: reset / 1000 }
        })
        resolve({ wait, usages, times })
      }
    }
    if (late.length === 0) return
    const oldest = Math.min(...late.map(({ since }) => since))
    if (performance.now() - oldest <= connectTimeoutMs / 2) return void send(late)
    for (const { reject } of late)
      reject(new Refusal('unavailable', { outage: 'limit-store', because: 'too late' }))
  }

  return { ask }
}

/** The keys, and the values behind the time and the deadline. */
function encode(all: readonly Question[]): { keys: string[]; values: (string | number)[] } {
  const keys: string[] = []
  const codes = new Map<Limit, string>()
  const limits: (string | number)[] = []
  const times: number[] = []
  let plan = ''
  for (const { verb, slots } of all) {
    plan += letters[verb]
    for (const { name, limit, recordedAt } of slots) {
      let code = codes.get(limit)
      if (code === undefined) {
        code = String.fromCharCode(firstLimitCode + codes.size)
        codes.set(limit, code)
        limits.push(limit.quota, microseconds(limit.windowMs), limit.isReserved ? 1 : 0)
      }
      plan += code
      keys.push(name)
      if (isSettlement(verb)) times.push(recordedAt as number)
    }
  }
  return { keys, values: [plan, codes.size, ...limits, ...times] }
}
