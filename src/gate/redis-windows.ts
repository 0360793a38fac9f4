// The windows in Redis or Valkey: instances that share a store admit together what one instance
// alone would. The rule is that of gate/window.ts, in one atomic script.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { refuse } from '../domain/errors.ts'
import {
  type Charge,
  type Decision,
  microseconds,
  type Settlement,
  type WindowStore,
} from './window.ts'
import type { Log } from '../telemetry/log.ts'
import { openLink, connectTimeoutMs } from './redis-link.ts'

export type SharedWindows = WindowStore & {
  /** Whether the store answered when it was last asked. */
  isReachable(): boolean
  /** Whether the store may evict live limits. */
  mayForget(): boolean
  /** Uses the user and password of the URL from now on. Rejects when the store refuses them. */
  replaceLogin(url: string): Promise<void>
  close(): Promise<void>
}

export type SharedWindowsOptions = {
  /** 32 bytes that all instances share: the key of the names in the store. Read on each use. */
  secret: () => Buffer
  log: Log
  /** Milliseconds, in place of the store's own clock; for tests. */
  now?: () => number
}

const script = readFileSync(new URL('./redis-windows.lua', import.meta.url), 'utf8')

/**
 * Opens the store behind a URL. While it is out of reach decisions are refused as `unavailable`, at
 * once if that is known, else after {@link connectTimeoutMs}. It reconnects without a restart.
 */
export async function windowsInRedis(
  url: string,
  { secret, log, now }: SharedWindowsOptions,
): Promise<SharedWindows> {
  const link = await openLink(url, script, log)
  const testTime = () => (now ? String(microseconds(now())) : '')

  /**
   * The script gets a deadline: run after its request was answered, it charges nothing. If the
   * store's clock was set meanwhile, its first answer says so, and the second attempt succeeds.
   */
  async function ask(verb: 'take' | 'peek', keys: string[], windows: number[]) {
    const startedAt = performance.now()
    for (;;) {
      const deadline = now ? '' : Math.ceil(link.time() + microseconds(connectTimeoutMs))
      const [time, ...answer] = await link.run(keys, [verb, testTime(), deadline, ...windows])
      link.learn(time as number)
      if (answer.length > 0) return answer
      if (performance.now() - startedAt > connectTimeoutMs / 2)
        refuse('unavailable', { because: 'too late' })
    }
  }

  async function decide(verb: 'take' | 'peek', charges: readonly Charge[]): Promise<Decision> {
    if (charges.length === 0) return { waitMs: 0, usages: [], settle() {} }
    const names = createNames(secret(), charges)
    // A peek reserves nothing, but has to know which windows may hold reserved slots.
    const windows = charges.flatMap(({ limit: { quota, windowMs, isReserved } }) => {
      return [quota, microseconds(windowMs), isReserved ? 1 : 0]
    })
    const [wait = 0, ...numbers] = await ask(verb, names, windows)
    const results = charges.map(({ limit: { isReserved } }, index) => {
      const [remaining = 0, reset = 0, recordedAt = 0] = numbers.slice(index * 3, index * 3 + 3)
      return { name: names[index] as string, isReserved, remaining, reset, recordedAt }
    })
    const isCharged = wait === 0 && verb === 'take'
    let reserved = results.filter(({ isReserved }) => isReserved && isCharged)

    async function settle(outcome: Settlement): Promise<void> {
      const slots = reserved
      reserved = []
      if (slots.length === 0) return
      const keys = slots.map(({ name }) => name)
      const times = slots.map(({ recordedAt }) => recordedAt)
      try {
        await link.run(keys, [outcome, testTime(), '', ...times])
      } catch {
        // The slot counts from now on, or in ten seconds; it admits no further attempt.
        log.warn({}, 'a reserved slot could not be settled')
      }
    }

    const usages = results.map(({ remaining, reset }) => ({ remaining, resetMs: reset / 1000 }))
    return { waitMs: wait / 1000, usages, settle }
  }

  return {
    take: (charges) => decide('take', charges),
    peek: (charges) => decide('peek', charges),
    isReachable: link.isReachable,
    mayForget: link.mayForget,
    replaceLogin: link.replaceLogin,
    close: link.close,
  }
}

/**
 * Names in the store contain no user name, e-mail or IP address. There are so few of these that a
 * plain hash could be inverted by trying them all, so it is keyed. 128 bits of it are enough.
 */
function createNames(secret: Buffer, charges: readonly Charge[]): string[] {
  let [last, digest] = [undefined as string | undefined, '']
  return charges.map(({ limit: { window }, key }) => {
    // The windows of a class are mostly counted under one key.
    if (key !== last) digest = createHmac('sha256', secret).update(key).digest('base64url')
    last = key
    return `strongroom:${window}:${digest.slice(0, 22)}`
  })
}
