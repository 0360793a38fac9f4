// The windows in Redis as release 0.2.0 counts them: each decision reads and writes whole values.
// It is the reference for the present script, and the other instance during an upgrade.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import {
  type Charge,
  type Decision,
  microseconds,
  type WindowStore,
} from '../../src/gate/window.ts'

const lua = readFileSync(new URL('./former-windows.lua', import.meta.url), 'utf8')

export function formerWindows(
  url: string,
  { secret, now }: { secret: Buffer; now: () => number },
): WindowStore & { close(): void } {
  const redis = new Redis(url, { scripts: { windows: { lua } } })
  const script = redis as unknown as {
    windows(count: number, ...values: (string | number)[]): Promise<number[]>
  }
  const toName = ({ limit: { window }, key }: Charge) => {
    const digest = createHmac('sha256', secret).update(key).digest('base64url')
    return `strongroom:${window}:${digest.slice(0, 22)}`
  }

  async function decide(verb: 'take' | 'peek', charges: readonly Charge[]): Promise<Decision> {
    if (charges.length === 0) return { waitMs: 0, usages: [], settle() {} }
    const names = charges.map(toName)
    const windows = charges.flatMap(({ limit: { quota, windowMs, isReserved } }) => [
      quota,
      microseconds(windowMs),
      isReserved ? 1 : 0,
    ])
    const time = String(microseconds(now()))
    const [, wait = 0, ...numbers] = await script.windows(
      names.length,
      ...names,
      verb,
      time,
      '',
      ...windows,
    )
    let reserved =
      verb === 'take' && wait === 0
        ? charges.flatMap(({ limit }, at) =>
            limit.isReserved
              ? { name: names[at] as string, time: numbers[at * 3 + 2] as number }
              : [],
          )
        : []
    return {
      waitMs: wait / 1000,
      usages: charges.map((_, at) => ({
        remaining: numbers[at * 3] as number,
        resetMs: (numbers[at * 3 + 1] as number) / 1000,
      })),
      async settle(outcome) {
        const slots = reserved
        reserved = []
        if (slots.length === 0) return
        const times = slots.map((slot) => slot.time)
        const keys = slots.map(({ name }) => name)
        await script.windows(
          keys.length,
          ...keys,
          outcome,
          String(microseconds(now())),
          '',
          ...times,
        )
      },
    }
  }

  return {
    take: (charges) => decide('take', charges),
    peek: (charges) => decide('peek', charges),
    close: () => redis.disconnect(),
  }
}
