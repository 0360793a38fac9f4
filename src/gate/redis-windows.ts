// The windows in Redis or Valkey, so that instances which share a store admit together what one
// alone would. The rule is that of gate/window.ts, in one script that nothing can come between.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { refuse } from '../domain/errors.ts'
import type { Charge, Decision, Settlement, WindowStore } from './window.ts'
import type { Log } from '../telemetry/log.ts'
import { openLink, connectTimeoutMs } from './redis-link.ts'

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

const source = readFileSync(new URL('./redis-windows.lua', import.meta.url), 'utf8')
const script = { source, sha: hash('sha1', source) }

/**
 * Opens the store behind a URL. While it is out of reach decisions are refused as `unavailable`, at
 * once if that is known, else after {@link connectTimeoutMs}; it is found again without a restart.
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
      const deadline = now ? '' : Math.ceil(link.time() + microseconds(connectTimeoutMs))
      const [time, ...answer] = await link.run(keys, [verb, given(), deadline, ...windows])
      link.learn(time as number)
      if (answer.length > 0) return answer
      if (performance.now() - begun > connectTimeoutMs / 2)
        refuse('unavailable', { because: 'too late' })
    }
  }

  async function decide(verb: 'take' | 'peek', charges: readonly Charge[]): Promise<Decision> {
    if (charges.length === 0) return { waitMs: 0, usages: [], settle() {} }
    const names = createNaming(secret(), charges)
    // A look is charged nothing, but it has to know in which windows slots may be reserved.
    const windows = charges.flatMap(({ quota, windowMs, isReserved }) => {
      return [quota, microseconds(windowMs), isReserved ? 1 : 0]
    })
    const [wait = 0, ...told] = await ask(verb, names, windows)
    const toldWait = (index: number) =>
      told.slice(index * 3, index * 3 + 3) as [number, number, number]
    const isHeld = ({ isReserved }: Charge) => isReserved && wait === 0 && verb === 'take'
    let held = charges.flatMap((charge, index) => (isHeld(charge) ? [index] : []))

    async function settle(outcome: Settlement): Promise<void> {
      const settled = held
      held = []
      if (settled.length === 0) return
      const recorded = settled.map((index) => toldWait(index)[2])
      const keys = settled.map((index) => names[index] as string)
      try {
        await link.run(keys, [outcome, given(), '', ...recorded])
      } catch {
        // The attempt counts from now on or in ten seconds: no further attempt is let in for it.
        log.warn({}, 'a reserved slot could not be settled')
      }
    }

    return {
      waitMs: wait / 1000,
      usages: charges.map((_charge, index) => {
        const [remaining, reset] = toldWait(index)
        return { remaining, resetMs: reset / 1000 }
      }),
      settle,
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
function createNaming(secret: Buffer, charges: readonly Charge[]): string[] {
  const prefix = secret.toString('hex')
  let [last, hashed] = [undefined as string | undefined, '']
  return charges.map(({ window, key }) => {
    // The windows of one class are mostly counted under one key.
    if (key !== last) hashed = hash('sha256', prefix + key, 'base64url').slice(0, 22)
    last = key
    return `strongroom:${window}:${hashed}`
  })
}
