// SIGHUP (`systemctl reload`): reads the certificate and the secrets again. Connections stay, no
// request is lost, and what cannot be used leaves the old one in its place.
import { type Config, ConfigError, environment, readConfig } from '../config/config.ts'
import { type Address, openDatabase } from '../database/connections/connect.ts'
import { Refusal } from '../domain/errors.ts'
import { StartupError } from '../domain/startup-error.ts'
import { describeError, type Log } from '../telemetry/log.ts'
import type { Running } from '../app/start.ts'
import { warnOfOwner } from './database.ts'

/** A database whose login may be replaced: new connections use the present one. */
export type ReplaceableLogin = { address(): Address; replace(url: string): Promise<void> }

export function replaceableLogin(url: string): ReplaceableLogin {
  let connectionString = url
  return {
    address: () => ({ connectionString }),
    async replace(next) {
      const db = openDatabase({ connectionString: next })
      try {
        await db.ping()
      } finally {
        await db.close()
      }
      connectionString = next
    },
  }
}

const reloaded = {
  databaseUrl: 'STRONGROOM_DATABASE_URL',
  readDatabaseUrl: 'STRONGROOM_READ_DATABASE_URL',
  redisUrl: 'STRONGROOM_REDIS_URL',
  smtpUrl: 'STRONGROOM_SMTP_URL',
} as const
type Reloaded = keyof typeof reloaded

type ReloadParts = {
  config: Config
  running: Running
  /** Undefined for the embedded database, whose login is its own. */
  database: ReplaceableLogin | undefined
  log: Log
}

/** @returns reads all again, one time after the other; never rejects */
export function createReload({ config, running, database, log }: ReloadParts): () => void {
  const inUse: Partial<Record<Reloaded, string | undefined>> = { ...config }
  const { limitStore, transport } = running.core
  const use: Record<Reloaded, (url: string) => Promise<void> | undefined> = {
    async databaseUrl(url) {
      await database?.replace(url)
      await warnOfOwner({ connectionString: url }, log)
    },
    // A standby may be away: whether the login is good shows when it is used.
    async readDatabaseUrl(url) {
      running.replaceReadLogin(url)
    },
    redisUrl: (url) => limitStore?.replaceLogin(url),
    smtpUrl: (url) => transport.replaceServer(url),
  }

  async function replace(key: Reloaded, url: string): Promise<boolean> {
    try {
      if (withoutLogin(url) !== withoutLogin(inUse[key])) {
        throw new StartupError('another server needs a restart')
      }
      await use[key](url)
      inUse[key] = url
      log.info({ because: reloaded[key] }, 'a secret was replaced')
      return true
    } catch (thrown) {
      const because = `${reloaded[key]}: ${reasonOf(thrown)}`
      log.error(
        { because, error: describeError(thrown) },
        'a secret cannot be used; the old one stays',
      )
      return false
    }
  }

  async function reload(): Promise<void> {
    const isRenewed = await running.renewCertificate()
    const next = readAgain(log)
    let isWhole = isRenewed && next !== undefined
    for (const key of Object.keys(reloaded) as Reloaded[]) {
      const url = next?.[key]
      if (url === undefined || url === inUse[key]) continue
      isWhole = (await replace(key, url)) && isWhole
    }
    // What was refused has a line of its own, and none after it says the opposite.
    if (isWhole) log.info({}, 'the certificate and the secrets were read again')
  }
  let last = Promise.resolve()
  return () => {
    // A defect in one reload must not keep the next one from its work.
    last = last.then(reload).catch((thrown: unknown) => {
      log.error(
        { error: describeError(thrown) },
        'the certificate and the secrets were not all read',
      )
    })
  }
}

function readAgain(log: Log): Config | undefined {
  try {
    return readConfig(environment())
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    log.error({ because: thrown.lines.join(' ') }, 'secrets cannot be read; the old ones stay')
    return undefined
  }
}

function withoutLogin(text = ''): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  return url.href
}

/** A code, such as that of PostgreSQL or of the mail server; never a text with a value in it. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof Refusal) return reasonOf(thrown.options.because)
  if (thrown instanceof StartupError) return thrown.message
  const { code } = (thrown ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : 'it does not answer'
}
