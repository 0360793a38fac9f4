// `strongroom move`: the bank from one database to another one, such as from the embedded one to a
// PostgreSQL of one's own, or to one of the next major version. The former database is used until
// the new one is proven, and refuses to be used from then on: there is one bank at any time.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { addEvents, commandEvent } from '../audit/sql.ts'
import type { Config } from '../config/config.ts'
import { readSecretFile } from '../config/secret-file.ts'
import { databaseUrl } from '../config/urls.ts'
import { Unusable } from '../config/values.ts'
import { requireSameTime } from '../database/background/clocks.ts'
import { type Address, schemaName } from '../database/connections/connect.ts'
import { startEmbedded } from '../database/embedded/embedded.ts'
import { migrate } from '../database/schema/migrate.ts'
import { appliedMigrations, knownMigrations } from '../database/schema/migrations.ts'
import { compareBank, copyBank, lockBank } from '../database/move/copy-bank.ts'
import {
  closeFormer,
  explainMark,
  type Mark,
  openFormer,
  readMark,
  writeMark,
} from '../database/move/mark.ts'
import { transaction } from '../database/connections/transaction.ts'
import { requireVersion } from '../database/schema/version.ts'
import { rfc3339, systemClock } from '../domain/clock.ts'
import { newId } from '../domain/ids.ts'
import { StartupError } from '../domain/startup-error.ts'
import { verifyLedger } from '../ledger/proof/verify.ts'
import { connectPatiently, longReadMs, requireBank, requireUsable, workOpened } from './database.ts'
import { interruption, unlessInterrupted } from './interruption.ts'
import { createProgressBar } from './progress-bar.ts'
import { UnsoundBooks } from './report.ts'

type Say = (text: string) => void
type Options = {
  from?: string
  fromFile?: string
  to?: string
  toFile?: string
  takeBack?: true
}

export async function moveCommand(config: Config, say: Say, options: Options): Promise<void> {
  const from = readUrl('--from', options.from, options.fromFile) ?? config.databaseUrl
  const to = readUrl('--to', options.to, options.toFile)
  if ((to === undefined) === (options.takeBack === undefined)) {
    throw new StartupError('Give either --to-file <file>, --to <url> or --take-back.')
  }
  // From here on a signal leads to an orderly end.
  interruption()
  await withFormer(config, from, (source) =>
    unlessInterrupted(to === undefined ? takeBack(source, say) : move(source, to, say)),
  ).catch((thrown: unknown) => {
    if ((thrown as { code?: unknown }).code !== '42501') throw thrown
    const { message } = thrown as Error
    throw new StartupError(`A database needs the login of its owner for this: ${message}.`)
  })
}

/** An argument is in the list of processes, and in the history of the shell. */
function readUrl(name: string, url?: string, file?: string): string | undefined {
  if (url !== undefined && file !== undefined) {
    throw new StartupError(`Give ${name} or ${name}-file.`)
  }
  if (url !== undefined && (URL.parse(url)?.password ?? '') !== '') {
    throw new StartupError(`${name} may hold no password: write the URL into a file, ${name}-file.`)
  }
  try {
    const text = file === undefined ? url : readSecretFile(file)
    return text === undefined ? undefined : databaseUrl(text)
  } catch (thrown) {
    if (!(thrown instanceof Unusable)) throw thrown
    throw new StartupError(`${name}${file === undefined ? '' : '-file'} ${thrown.message}.`)
  }
}

/** The embedded one is started here: it is refused while a service or a command runs on it. */
async function withFormer(
  { dataDir }: Config,
  from: string | undefined,
  work: (address: Address) => Promise<void>,
): Promise<void> {
  if (from !== undefined) return work({ connectionString: from })
  await requireBank(dataDir)
  const embedded = await startEmbedded(dataDir)
  try {
    await work(embedded.address)
  } finally {
    await embedded.stop()
  }
}

type Both = {
  source: { address: Address; client: pg.Client }
  target: { address: Address; client: pg.Client; place: string }
}

async function move(from: Address, url: string, say: Say): Promise<void> {
  const to = { connectionString: url }
  for (const address of [from, to]) {
    await requireVersion(address)
    await requireSameTime(address, systemClock())
  }
  const { host, pathname } = new URL(url)
  const source = await connectPatiently(from)
  const target = await connectPatiently(to)
  const both: Both = {
    source: { address: from, client: source },
    target: { address: to, client: target, place: host + pathname },
  }
  try {
    const mark = await readMark(source)
    if (mark?.state === 'moved') await requireProven(target, mark)
    else await copyAndClose(both, say)
    await open(both, say)
  } finally {
    // Rolls back what is open. Not awaited: after a failure a COPY may wait for the other side.
    for (const client of [source, target]) void client.end().catch(() => {})
  }
}

/** An earlier run of the command was killed in its last moment: only the switch is missing. */
async function requireProven(target: pg.Client, former: Mark & { state: 'moved' }): Promise<void> {
  const mark = await readMark(target)
  if (mark?.state === 'proven' && mark.move === former.move) return
  throw new StartupError(explainMark(former))
}

/** Ends with a target that is proven and not yet open, and a source that is closed. */
async function copyAndClose({ source, target }: Both, say: Say): Promise<void> {
  await requireUsable(source.address, { makesBank: false, takesOlder: false })
  await requireAlone(source.client)
  const bank = await nameBank(source.client)
  const begun = await readMark(target.client)
  await requireOwnTarget(target.client, begun, bank)
  await lockBank(source.client)
  // Another `move` may have had the lock until now.
  if (await readMark(source.client)) throw new StartupError('Another `strongroom move` has run.')
  say('The former database is verified …\n')
  const former = await prove(source.address, say)
  await beginFilling(target.client, begun, bank)
  // All statements of the service: the migration prepares those that are loaded.
  await import('../app/start.ts')
  await migrate(target.address, { say })
  say('The tables are copied …\n')
  const bar = createProgressBar(say, 'of all tables')
  const contents = await copyBank(source.client, target.client, bar?.draw)
  bar?.end()
  await compareBank(target.client, contents)
  const rows = [...contents.values()].reduce((sum, table) => sum + table.rows, 0)
  say(`${contents.size} tables with ${rows} rows are the same in both. The new one is verified …\n`)
  const digest = await prove(target.address, say)
  if (digest !== former) {
    throw new UnsoundBooks(
      `The heads of the former database have the digest ${former}, those of the new one ${digest}.`,
    )
  }
  say(`Digest of all heads in both: ${digest}\n`)
  const run = newId(systemClock().now())
  await writeMark(target.client, { state: 'proven', bank, move: run })
  const at = rfc3339(systemClock().now())
  await closeFormer(source.client, { state: 'moved', move: run, at, to: target.place })
  await source.client.query('commit')
}

async function open({ target }: Both, say: Say): Promise<void> {
  const event = commandEvent(systemClock().now(), { action: 'move' })
  await workOpened(target.address, (db) => transaction(db, (tx) => addEvents(tx, [event])), {})
  await writeMark(target.client, undefined)
  say(
    `The bank is in ${target.place} now; the former database refuses to be used. ` +
      'Set STRONGROOM_DATABASE_URL to the login of the service there, and start it.\n',
  )
}

async function takeBack(address: Address, say: Say): Promise<void> {
  const client = await connectPatiently(address)
  try {
    const mark = await readMark(client)
    if (mark?.state !== 'moved') throw new StartupError('The bank was not moved from here.')
    await openFormer(client)
    say(`This database is the bank again. Use ${mark.to} no more: there would be two banks.\n`)
  } finally {
    await client.end()
  }
}

const patienceMs = 3000
const pauseMs = 100

/** A session that has just ended is still listed for a moment. */
async function requireAlone(source: pg.Client): Promise<void> {
  const clock = systemClock()
  const startedAt = clock.monotonic()
  // Ends when there is no other session, or after `patienceMs`.
  for (;;) {
    const { rows } = await source.query<{ name: string }>(
      `select application_name as name from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and application_name like 'strongroom%'`,
    )
    const [other] = rows
    if (other === undefined) return
    if (clock.monotonic() - startedAt > patienceMs) {
      throw new StartupError(`Stop all instances and commands first: ${other.name} is connected.`)
    }
    await sleep(pauseMs)
  }
}

/** What tells this bank from another one. Throws when its schema is not exactly this release's. */
async function nameBank(source: pg.Client): Promise<string> {
  const [applied, known] = await Promise.all([appliedMigrations(source), knownMigrations()])
  if (applied.length !== known.length) {
    throw new StartupError('The database has migrations of a newer release: move with that one.')
  }
  const { rows } = await source.query<{ at: string }>(
    'select min(run_on)::text as at from strongroom.migrations',
  )
  return `of ${rows[0]?.at}`
}

async function requireOwnTarget(
  target: pg.Client,
  mark: Mark | undefined,
  bank: string,
): Promise<void> {
  if (mark !== undefined && mark.state !== 'moved' && mark.bank === bank) return
  const { rows } = await target.query<{ exists: boolean }>(
    'select to_regnamespace($1) is not null as exists',
    [schemaName],
  )
  if (rows[0]?.exists === false) return
  throw new StartupError(
    `The new database has a schema ${schemaName} already, and not of an earlier move of this ` +
      'bank: name an empty one.',
  )
}

/** From here on the target refuses to be used until it is open. */
async function beginFilling(
  target: pg.Client,
  begun: Mark | undefined,
  bank: string,
): Promise<void> {
  await target.query('begin')
  if (begun === undefined) await target.query(`create schema ${schemaName}`)
  await writeMark(target, { state: 'filling', bank })
  await target.query('commit')
}

/** Gives the digest of the heads. */
async function prove(address: Address, say: Say): Promise<string> {
  const bar = createProgressBar(say, 'of all entries')
  const verify = { ...(bar && { progress: bar.draw }) }
  const proven = await workOpened(address, (db) => verifyLedger(db, verify), {
    readMs: longReadMs,
  })
  bar?.end()
  if (proven.mismatch === undefined) return proven.digest
  throw new UnsoundBooks(`The books are not sound. ${proven.mismatch}.`)
}
