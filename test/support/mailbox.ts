// Mails as a test receives them: from the outbox folder, or by a real SMTP server that can fail
// like one.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { TestContext } from 'node:test'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import type { World } from './world.ts'

/** Everything in the outbox folder, oldest first, when nothing that is due is left. */
export async function readMails({
  running: { core, config },
}: Pick<World, 'running'>): Promise<Email[]> {
  await core.outbox.work()
  const folder = path.join(config.dataDir, 'outbox')
  const names: string[] = await readdir(folder).catch(() => [])
  return Promise.all(
    names.toSorted().map(async (name) => PostalMime.parse(await readFile(path.join(folder, name)))),
  )
}

/** The mail that was written last, for tests in which no other one is due at that moment. */
export async function lastMail(bank: Pick<World, 'running'>): Promise<Email> {
  return (await readMails(bank)).at(-1) ?? assert.fail('no mail was sent')
}

/** The link of a mail: its path with the token, and the token alone. */
function linkIn({ text }: Email): { path: string; token: string } {
  const [, path, token] = /^https:\/\/[^/]+(\/\S+#token=([\w-]{43}))$/m.exec(text ?? '') ?? []
  return path && token ? { path, token } : assert.fail(`no link in ${text}`)
}

export const tokenIn = (mail: Email): string => linkIn(mail).token

/**
 * The newest mail with a link to an address. Mails that are due together are written in any order,
 * so the newest mail may be another one.
 */
export async function linkMailTo(bank: Pick<World, 'running'>, email: string): Promise<Email> {
  const mails = (await readMails(bank)).filter(({ text }) => text?.includes('#token='))
  const mail = mails.findLast(({ to }) => to?.[0]?.address === email)
  return mail ?? assert.fail(`no link was mailed to ${email}`)
}

export const linkMailedTo = async (...asked: Parameters<typeof linkMailTo>) =>
  linkIn(await linkMailTo(...asked))

export const tokenMailedTo = async (...asked: Parameters<typeof linkMailedTo>): Promise<string> =>
  (await linkMailedTo(...asked)).token

/** Waits until it holds; fails after so long that no slow machine is the cause. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  while (!(await holds())) {
    if (performance.now() - startedAt > 120_000) assert.fail(`${what} did not happen`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export type Mood =
  | 'well'
  | 'greets 421'
  | 'refuses 450'
  | 'refuses 550'
  | 'rejects 554'
  | 'drops'
  | 'drops after it took it'
  | 'hangs'

export type MailServer = {
  port: number
  mood: Mood
  /** Mails that were taken, and the envelopes they came in. */
  taken: { mail: Email; recipients: string[] }[]
  /** Attempts to deliver a mail. */
  attempts: number
  /** How many mails hang. */
  hanging: number
  /** Answers so many hanging mails, or all, in their order, by the present mood. */
  release(count?: number): void
  stop(): Promise<void>
}

const refusal = (code: number) => Object.assign(new Error('no'), { responseCode: code })
const senderMoods: Partial<Record<Mood, number>> = { 'refuses 450': 450, 'refuses 550': 550 }

/** Listens on this machine, without encryption unless asked to. */
export async function mailServer(
  t: TestContext,
  { port = 0, host = '127.0.0.1', secure = false } = {},
): Promise<MailServer> {
  const waiting: (() => void)[] = []
  const server = new SMTPServer({
    secure,
    logger: false,
    disabledCommands: ['AUTH', ...(secure ? [] : ['STARTTLS'])],
    closeTimeout: 1,
    onConnect: (_, done) => done(made.mood === 'greets 421' ? refusal(421) : null),
    onRcptTo(_address, { id }, done) {
      made.attempts++
      if (made.mood === 'drops') return drop(id)
      const code = senderMoods[made.mood]
      done(code === undefined ? null : refusal(code))
    },
    onData(stream, { id, envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const finish = async () => {
          const { mood } = made
          if (mood === 'rejects 554') return done(refusal(554))
          const mail = await PostalMime.parse(Buffer.concat(chunks))
          made.taken.push({ mail, recipients: envelope.rcptTo.map(({ address }) => address) })
          if (mood === 'drops after it took it') return drop(id)
          done(null)
        }
        if (made.mood === 'hangs') {
          made.hanging++
          waiting.push(() => void finish())
        } else void finish()
      })
    },
  })
  function drop(id: string): void {
    for (const connection of server.connections) {
      if (connection.id === id) connection._socket.destroy()
    }
  }
  server.on('error', () => {})
  const { promise, resolve } = Promise.withResolvers<void>()
  const listening = server.listen(port, host, resolve)
  await promise
  const made: MailServer = {
    port: (listening.address() as AddressInfo).port,
    mood: 'well',
    taken: [],
    attempts: 0,
    hanging: 0,
    release(count = waiting.length) {
      made.hanging -= count
      for (const go of waiting.splice(0, count)) go()
    },
    stop: () => new Promise((end) => server.close(() => end())),
  }
  t.after(() => made.stop())
  return made
}
