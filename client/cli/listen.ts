// `strongroom client webhooks listen`: sends events to a program under development, signed as the
// bank's webhooks are. The bank needs no webhook for it: this command follows the feed.
import { randomBytes, randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Event } from '../src/index.ts'
import { systemClock } from '../../src/domain/clock.ts'
import { toBody } from '../../src/features/webhooks/payload.ts'
import { signatureFields, toSecretText } from '../../src/features/webhooks/signature.ts'
import { type Common, connectAgain } from './actions.ts'
import { UsageError } from './exit.ts'

export type ListenOptions = Common & { forwardTo: string; after?: string; types?: string }

const answerTimeoutMs = 15_000

export async function listen(options: ListenOptions): Promise<void> {
  const { forwardTo, folder, types, signal, json: isJson } = options
  const url = URL.canParse(forwardTo) ? new URL(forwardTo) : undefined
  if (!/^https?:$/.test(url?.protocol ?? '')) throw new UsageError('--forward-to is no URL.')
  const bank = await connectAgain(options)
  const key = await readKey(folder)
  // Asked before the program reports that it listens: all later events are forwarded.
  const newest = bank.events.list({ after: 'last', types }, { signal })
  const after = options.after ?? (await newest.page()).nextAfter
  process.stderr.write(`Signed with ${toSecretText(key)}\n`)
  for await (const event of bank.events.list({ after, types }, { signal }).follow()) {
    const result = await forward(event, forwardTo, key, signal)
    const { number, type, resourceId } = event
    const line = isJson
      ? JSON.stringify({ number, type, resourceId, result })
      : `${number}  ${type}  ${result}`
    process.stdout.write(`${line}\n`)
  }
}

/** The status of the answer, or why there was none. Nothing is repeated. */
async function forward(
  { type, at, number, resourceId, accountIds }: Event,
  url: string,
  key: Buffer,
  signal: AbortSignal,
): Promise<string> {
  const sentAt = systemClock().now()
  const body = toBody({ type, timestamp: at, data: { number, resourceId, accountIds } })
  const fields = signatureFields([{ kind: 'v1', bytes: key }], { id: randomUUID(), sentAt, body })
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...fields },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]),
    })
    await answer.body?.cancel()
    return `${answer.status}`
  } catch {
    return 'no answer'
  }
}

/** The same each time, so that the program under development keeps its setting. */
async function readKey(folder: string): Promise<Buffer> {
  const file = path.join(folder, 'webhook-key')
  const fresh = randomBytes(32)
  try {
    await writeFile(file, fresh.toString('hex'), { mode: 0o600, flag: 'wx' })
    return fresh
  } catch {
    return Buffer.from(await readFile(file, 'utf8'), 'hex')
  }
}
