// The windows in Redis or Valkey: instances that share a store admit together what one instance
// alone would. The rule is that of gate/window.ts, in one atomic script.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BoundedCache } from '../../domain/bounded-cache.ts'
import { type Charge, type Decision, microseconds, type WindowStore } from '../window.ts'
import type { Log } from '../../telemetry/log.ts'
import { openLink } from './redis-link.ts'
import { createTurn, limitsMax, type Slot, type Verb, type Verdict } from './redis-turn.ts'

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

const isReserved = ({ limit }: Slot): boolean => limit.isReserved === true

const withTimes = (slots: readonly Slot[], times: readonly number[]): Slot[] =>
  slots.map(({ name, limit }, index) => ({ name, limit, recordedAt: times[index] ?? 0 }))

const script = readFileSync(new URL('./redis-windows.lua', import.meta.url), 'utf8')

/**
 * Opens the store behind a URL. While it is out of reach decisions are refused as `unavailable`, at
 * once if that is known, else after two seconds. It reconnects without a restart.
 */
export async function windowsInRedis(
  url: string,
  { secret, log, now }: SharedWindowsOptions,
): Promise<SharedWindows> {
  const link = await openLink(url, script, log)
  const { ask } = createTurn(link, () => (now ? String(microseconds(now())) : ''))

  async function settle(outcome: 'counted' | 'free' | 'back', slots: readonly Slot[]) {
    try {
      await ask(outcome, slots)
    } catch {
      // The slot counts from now on, or in ten seconds; it admits no further attempt.
      log.warn({}, 'a reserved slot could not be settled')
    }
  }

  const nameSlots = createNames(secret)

  async function decide(verb: 'take' | 'peek', charges: readonly Charge[]): Promise<Decision> {
    if (charges.length === 0) return { waitMs: 0, usages: [], settle() {} }
    const slots = nameSlots(charges)
    return toDecision(verb, slots, await ask(verb, slots))
  }

  function toDecision(
    verb: Verb,
    slots: readonly Slot[],
    { wait, usages, times }: Verdict,
  ): Decision {
    let isOpen = wait === 0 && verb !== 'peek'
    return {
      waitMs: wait / 1000,
      usages,
      async settle(outcome) {
        const reserved = isOpen ? withTimes(slots, times).filter(isReserved) : []
        isOpen = false
        if (reserved.length > 0) await settle(outcome, reserved)
      },
    }
  }

  async function takeBoth(charges: readonly Charge[], others: readonly Charge[]) {
    const [slots, next] = [nameSlots(charges), nameSlots(others)]
    const [first, second] = await Promise.all([ask('take', slots), ask('next', next)])
    let isCharged = second.wait === 0
    return {
      first: toDecision('take', slots, first),
      second: toDecision('next', next, second),
      async giveBack() {
        if (!isCharged) return
        isCharged = false
        await settle('back', withTimes(next, second.times))
      },
    }
  }

  return {
    limitsMax,
    take: (charges) => decide('take', charges),
    takeBoth,
    peek: (charges) => decide('peek', charges),
    isReachable: link.isReachable,
    mayForget: link.mayForget,
    replaceLogin: link.replaceLogin,
    close: link.close,
  }
}

/** The size of one digest, with what the map adds. */
const digestBytes = 200
const digestsBytesMax = 4_000_000

/**
 * Names in the store contain no user name, e-mail or IP address. There are so few of these that a
 * plain hash could be inverted by trying them all, so it is keyed. 128 bits of it are enough.
 */
function createNames(secret: () => Buffer): (charges: readonly Charge[]) => Slot[] {
  let bytes: Buffer | undefined
  let hmacKey: KeyObject
  let digests: BoundedCache<string, string>
  function digestOf(key: string): string {
    const now = secret()
    if (now !== bytes) {
      bytes = now
      // Made once: from the bytes each HMAC takes 9 µs in place of 1.
      hmacKey = createSecretKey(now)
      digests = new BoundedCache(digestsBytesMax, ({ length }) => digestBytes + 2 * length)
    }
    let digest = digests.get(key)
    if (digest === undefined) {
      digest = createHmac('sha256', hmacKey).update(key).digest('base64url').slice(0, 22)
      digests.set(key, digest)
    }
    return digest
  }

  return (charges) => {
    const slots: Slot[] = []
    let [last, digest] = [undefined as string | undefined, '']
    for (const { limit, key } of charges) {
      // The windows of a class are mostly counted under one key.
      if (key !== last) digest = digestOf((last = key))
      slots.push({ name: `strongroom:${limit.window}:${digest}`, limit })
    }
    return slots
  }
}
