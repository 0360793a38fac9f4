// Sends mails by SMTP to the configured server, or writes them as files into the outbox folder.
// Names and addresses are passed as separate values, never as text to be parsed: a comma or a line
// break in one cannot add a recipient.
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../config/config.ts'
import { rfc3339 } from '../../domain/clock.ts'
import type { MailText } from './templates.ts'

export type Message = MailText & {
  /** Identifier and kind of the queued mail; they name the file. */
  id: string
  kind: string
  to: { name: string; address: string }
  /** Milliseconds since the epoch. */
  now: number
}

export type Transport = {
  /** Resolves when the server or the disk has the mail; rejects otherwise, also on `signal`. */
  send(message: Message, signal: AbortSignal): Promise<void>
  /** @param options.isForced false: a mail that is being sent is sent */
  close(options?: { isForced: boolean }): void
}

/** One whose login at the mail server may be replaced. */
export type ReplaceableTransport = Transport & {
  /** Rejects when the server does not take the login of the URL; later mails go by the old one. */
  replaceServer(url: string): Promise<void>
}

/** Loaded with the first mail: a start would take a twentieth longer. */
const nodemailer = () => import('nodemailer')

export function createMailTransport(config: Config): ReplaceableTransport {
  const open = (url: string | undefined): Transport =>
    url === undefined ? files(path.join(config.dataDir, 'outbox'), config) : smtp(url, config)
  let current = open(config.smtpUrl)
  return {
    send: (message, signal) => current.send(message, signal),
    async replaceServer(url) {
      const { createTransport } = await nodemailer()
      await createTransport({ ...smtpOptions(url), pool: false }).verify()
      const former = current
      current = open(url)
      former.close({ isForced: false })
    },
    close: () => current.close(),
  }
}

/** The sender of mails that stay on this machine, in a reserved domain (RFC 2606). */
const placeholderSender = 'strongroom@strongroom.invalid'

const toEnvelope = (
  { to, subject, text, now }: Message,
  { mailFrom = placeholderSender, bankName }: Config,
) => ({
  from: { name: bankName, address: mailFrom },
  to,
  subject,
  text,
  date: new Date(now),
  // RFC 3834: out-of-office programs do not answer.
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
})

const socketTimeoutMs = 10_000

/** Simultaneous connections to the mail server. */
const connectionsMax = 4

/**
 * Options of nodemailer. A server on another machine needs TLS from the first byte or by STARTTLS,
 * with a valid certificate; otherwise nothing is sent. A server on this machine is used without
 * TLS: there is no network to listen to, and local relays have self-signed certificates.
 */
export function smtpOptions(text: string) {
  const url = new URL(text)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isSecure = url.protocol === 'smtps:'
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host)
  return {
    pool: true,
    host,
    port: url.port === '' ? (isSecure ? 465 : 587) : Number.parseInt(url.port, 10),
    secure: isSecure,
    requireTLS: !isSecure && !isLocal,
    ignoreTLS: !isSecure && isLocal,
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    ...(url.username !== '' && {
      auth: {
        user: decodeURIComponent(url.username),
        pass: decodeURIComponent(url.password),
      },
    }),
    maxConnections: connectionsMax,
    // Only the outbox retries, with a new token.
    maxRequeues: 0,
    idleTimeout: 30_000,
    connectionTimeout: socketTimeoutMs,
    greetingTimeout: socketTimeoutMs,
    socketTimeout: socketTimeoutMs,
    dnsTimeout: socketTimeoutMs,
    logger: false,
  } as const
}

function smtp(url: string, config: Config): Transport {
  const open = async () => {
    const { createTransport } = await nodemailer()
    const transport = createTransport(smtpOptions(url))
    // Idle connections of the pool break when the server goes away; the next mail opens a new one.
    transport.on('error', () => {})
    return transport
  }
  let transport: ReturnType<typeof open> | undefined
  return {
    async send(message, signal) {
      // What could not be loaded is loaded again with the next attempt.
      transport ??= open().catch((thrown: unknown) => {
        transport = undefined
        throw thrown
      })
      await (await transport).sendMail({ ...toEnvelope(message, config), signal })
    },
    close: ({ isForced } = { isForced: true }) =>
      void transport?.then(
        (opened) => opened.close({ force: isForced }),
        () => {},
      ),
  }
}

function files(folder: string, config: Config): Transport {
  let count = 0
  return {
    async send(message, signal) {
      const { createTransport } = await nodemailer()
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const composed = await composer.sendMail({ ...toEnvelope(message, config), signal })
      const content = readable(composed.message as Buffer, message.text)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await chmod(folder, 0o700)
      // Sorts by time, then by number. Has no name or address: file names are seen by more people
      // than file contents.
      const time = rfc3339(message.now).replaceAll(':', '-')
      const number = String((count = (count + 1) % 10_000)).padStart(4, '0')
      const file = path.join(folder, `${time}-${number}-${message.kind}-${message.id}.eml`)
      const temporary = `${file}.part`
      try {
        await writeFile(temporary, content, { mode: 0o600, flag: 'w', flush: true })
        await rename(temporary, file)
      } finally {
        await rm(temporary, { force: true })
      }
    },
    close() {},
  }
}

/**
 * The same mail with unencoded text (RFC 2045: 8bit), so that the link can be copied from the file.
 */
function readable(composed: Buffer, text: string): string {
  const head = composed.toString().split('\r\n\r\n', 1)[0] as string
  const relabelled = head.replace(/^(content-transfer-encoding): .*$/im, '$1: 8bit')
  return `${relabelled}\r\n\r\n${text.replaceAll('\n', '\r\n')}`
}
