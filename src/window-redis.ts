// The windows in Redis or Valkey, so that instances which share a store admit together what one
// alone would. The rule is that of gate/window.ts, in one script that nothing can come between.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { refuse } from './errors.ts'
import type { Charge, Decision, WindowStore } from './gate/window.ts'
import type { Log } from './log.ts'
import { openLink, patience } from './window-redis-link.ts'

export type SharedWindows = WindowStore & {
  /** Whether the store answered when it was last asked. */
  isReachable(): boolean
  close(): Promise<void>
}

export type SharedWindowsOptions = {
  /** 32 bytes all instances share; names in the store follow from it. Asked for on each use. */
  secret: () => Buffer
  log: Log
  /** Milliseconds, in place of the store's own clock; for tests. */
  now?: () => number
}

const source = readFileSync(new URL('./window-redis.lua', import.meta.url), 'utf8')
const script = { source, sha: hash('sha1', source) }

/**
 * Opens the store behind a URL. While it is out of reach decisions are refused as `unavailable`, at
 * once if that is known, else after {@link patience}; it is found again without a restart.
 */
export async function windowsInRedis(
  url: string,
  { secret, log, now }: SharedWindowsOptions,
): Promise<SharedWindows> {
  const link = await openLink(url, script, log)
  const given = () => (now ? String(microseconds(now())) : '')

  /**
   * What is carried out only after its request was answered charges nobody: the script is told
   * until when somebody waits. A clock that was set meanwhile is known after the first answer.
   */
  async function ask(verb: 'take' | 'peek', keys: string[], windows: number[]) {
    const begun = performance.now()
    for (;;) {
      const deadline = now ? '' : Math.ceil(link.time() + microseconds(patience))
      const [time, ...answer] = await link.run(keys, [verb, given(), deadline, ...windows])
      link.learn(time as number)
      if (answer.length > 0) return answer
      if (performance.now() - begun > patience / 2) refuse('unavailable', { because: 'too late' })
    }
  }

  async function decide(verb: 'take' | 'peek', charges: readonly Charge[]): Promise<Decision> {
    if (charges.length === 0) return { waitMs: 0, standings: [], giveBack() {} }
    const names = namesOf(secret(), charges)
    const windows = charges.flatMap(({ quota, windowMs }) => [quota, microseconds(windowMs)])
    const [wait = 0, ...told] = await ask(verb, names, windows)
    const toldOf = (index: number) =>
      told.slice(index * 3, index * 3 + 3) as [number, number, number]
    const held = new Map(charges.map(({ window }, index) => [window, index]))
    return {
      waitMs: wait / 1000,
      standings: charges.map((_charge, index) => {
        const [remaining, reset] = toldOf(index)
        return { remaining, resetMs: reset / 1000 }
      }),
      async giveBack(windowNames) {
        const back = windowNames.flatMap((window) => {
          const index = held.get(window)
          return held.delete(window) && index !== undefined && wait === 0 ? [index] : []
        })
        if (verb !== 'take' || back.length === 0) return
        const recorded = back.map((index) => toldOf(index)[2])
        try {
          await link.run(
            back.map((index) => names[index] as string),
            ['back', given(), '', ...recorded],
          )
        } catch {
          // The attempt stays counted: nobody is let in for it, and nobody is refused what he did.
          log.warn({}, 'a charge could not be given back')
        }
      },
    }
  }

  return {
    take: (charges) => decide('take', charges),
    peek: (charges) => decide('peek', charges),
    isReachable: link.isReachable,
    close: link.close,
  }
}

const microseconds = (milliseconds: number): number => Math.round(milliseconds * 1000)

/**
 * Names in the store hold no user name, e-mail or IP address: there are so few of them that a plain
 * hash could be undone by trying, so theirs begins with a secret. Half of it is kept, which leaves
 * nothing to be extended and is as good as HMAC here, at a fraction of its cost.
 */
function namesOf(secret: Buffer, charges: readonly Charge[]): string[] {
  const prefix = secret.toString('hex')
  let [last, hashed] = [undefined as string | undefined, '']
  return charges.map(({ window, key }) => {
    // The windows of one class are mostly counted under one key.
    if (key !== last) hashed = hash('sha256', prefix + key, 'base64url').slice(0, 22)
    last = key
    return `strongroom:${window}:${hashed}`
  })
}
