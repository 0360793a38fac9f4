// How a mail leaves: by SMTP to the configured server, or as a file into the outbox folder. Names
// and addresses are handed over apart, never as text to be parsed: a comma or a line break in one
// cannot become a second recipient.
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTransport } from 'nodemailer'
import type { Config } from '../../config/config.ts'
import { rfc3339 } from '../../domain/clock.ts'
import type { Letter } from './templates.ts'

/** A mail ready to leave. */
export type Message = Letter & {
  /** The queued mail's identifier and kind: they name the file. */
  id: string
  kind: string
  to: { name: string; address: string }
  /** Milliseconds since the epoch. */
  now: number
}

export type Transport = {
  /** Resolves when the server, or the disk, has it. Rejects when it may not, also on `signal`. */
  send(message: Message, signal: AbortSignal): Promise<void>
  close(): void
}

export function createMailTransport(config: Config): Transport {
  return config.smtpUrl === undefined
    ? files(path.join(config.dataDir, 'outbox'), config)
    : smtp(config.smtpUrl, config)
}

/** A domain that is reserved for being no domain (RFC 2606): for mails that never leave. */
const nobody = 'strongroom@strongroom.invalid'

const toEnvelope = ({ to, subject, text, now }: Message, { mailFrom = nobody }: Config) => ({
  from: { name: 'Strongroom', address: mailFrom },
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

/** Connections to the mail server at once. */
const connectionsMax = 4

/**
 * What nodemailer is told about the server. On another machine nothing is said in the clear: TLS
 * from the first byte, or STARTTLS or nothing, and the certificate has to be right. On this one
 * there is no network to listen to, and relays there show certificates of their own making.
 */
export function smtpOptions(text: string) {
  const url = new URL(text)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isSecure = url.protocol === 'smtps:'
  const isHere = /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host)
  return {
    pool: true,
    host,
    port: url.port === '' ? (isSecure ? 465 : 587) : Number.parseInt(url.port, 10),
    secure: isSecure,
    requireTLS: !isSecure && !isHere,
    ignoreTLS: !isSecure && isHere,
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    ...(url.username !== '' && {
      auth: {
        user: decodeURIComponent(url.username),
        pass: decodeURIComponent(url.password),
      },
    }),
    maxConnections: connectionsMax,
    // The outbox tries again, with a new token; nothing is repeated behind its back.
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
  const transport = createTransport(smtpOptions(url))
  // Connections that wait in the pool break when the server goes away; the next mail finds out.
  transport.on('error', () => {})
  return {
    async send(message, signal) {
      await transport.sendMail({ ...toEnvelope(message, config), signal })
    },
    close: () => transport.close({ force: true }),
  }
}

function files(folder: string, config: Config): Transport {
  let count = 0
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async send(message, signal) {
      const composed = await composer.sendMail({ ...toEnvelope(message, config), signal })
      const content = readable(composed.message as Buffer, message.text)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await chmod(folder, 0o700)
      // Sorts by time, then by turn; no name or address in it, since listings are shown around more
      // than files.
      const time = rfc3339(message.now).replaceAll(':', '-')
      const turn = String((count = (count + 1) % 10_000)).padStart(4, '0')
      const place = path.join(folder, `${time}-${turn}-${message.kind}-${message.id}.eml`)
      const temporary = `${place}.part`
      try {
        await writeFile(temporary, content, { mode: 0o600, flag: 'w', flush: true })
        await rename(temporary, place)
      } finally {
        await rm(temporary, { force: true })
      }
    },
    close() {},
  }
}

/**
 * The same mail with its text as it is (RFC 2045: 8bit) instead of encoded for the wire, where long
 * lines are not welcome: whoever opens the file can copy the link in it.
 */
function readable(composed: Buffer, text: string): string {
  const head = composed.toString().split('\r\n\r\n', 1)[0] as string
  const relabelled = head.replace(/^(content-transfer-encoding): .*$/im, '$1: 8bit')
  return `${relabelled}\r\n\r\n${text.replaceAll('\n', '\r\n')}`
}
