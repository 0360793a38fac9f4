// `strongroom export-audit`, `drop-audit` and `restore-audit`: whole months of the trail leave for
// a file of JSON lines, what is in such a file is removed from the database, and put back.
//
// The first line names the month and the export that was dropped before, the last one the SHA-256
// over all lines before it: `head -n -1 FILE | sha256sum`.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  allowDrop,
  dropEvents,
  eventLine,
  findExport,
  lastDrop,
  lastMissing,
  readEndedYears,
  readEvents,
} from '../audit/export-sql.ts'
import { addEvents, type AuditEvent, commandEvent } from '../audit/sql.ts'
import type { Config } from '../config/config.ts'
import { isLockedOut } from '../database/connections/failure.ts'
import { databaseNow } from '../database/background/clocks.ts'
import type { Address } from '../database/connections/connect.ts'
import { type Db, one } from '../database/statements/statement.ts'
import { transaction } from '../database/connections/transaction.ts'
import { rfc3339, systemClock } from '../domain/clock.ts'
import { firstId, idAt } from '../domain/ids.ts'
import { StartupError } from '../domain/startup-error.ts'
import { connectPatiently, withOpenDatabase, withOwner } from './database.ts'

type Say = (text: string) => void

const format = 'strongroom-audit-1'
const eventsPerPage = 2000
/** `verify` needs them: a text without its erasure counts as tampering. */
const keptAction = 'erase'

export async function exportAudit(
  config: Config,
  say: Say,
  file: string,
  { before }: { before: string },
): Promise<void> {
  const end = parseMonth(before)
  await withOpenDatabase(config, async (db) => {
    const clock = systemClock()
    const now = await databaseNow(db, clock)
    if (end > Date.parse(`${rfc3339(now).slice(0, 7)}-01T00:00:00Z`)) {
      throw new Error(`The month before ${before} is not over yet.`)
    }
    const handle = await open(file, 'wx', 0o600).catch((thrown: NodeJS.ErrnoException) => {
      const reason = thrown.code === 'EEXIST' ? 'it exists already' : thrown.message
      throw new StartupError(`${file} cannot be written: ${reason}.`)
    })
    const written = { events: 0, sha256: '' }
    try {
      const lines = Readable.from(exportLines(db, before, end, written))
      await pipeline(lines, handle.createWriteStream({ flush: true }))
      const detail = toDetail(before, written.sha256)
      const event = commandEvent(clock.now(), { action: 'exportAudit', detail })
      await transaction(db, (tx) => addEvents(tx, [event]))
    } catch (thrown) {
      await rm(file, { force: true })
      throw thrown
    }
    say(`${written.events} events before ${before} were exported.\nSHA-256: ${written.sha256}\n`)
  })
}

const toDetail = (before: string, sha256: string): string => `before ${before}, sha256 ${sha256}`

function parseMonth(text: string): number {
  const time = /^\d{4}-\d\d$/.test(text) ? Date.parse(`${text}-01T00:00:00Z`) : Number.NaN
  if (Number.isFinite(time)) return time
  throw new StartupError('--before is a month, such as 2026-01.')
}

async function* exportLines(
  db: Db,
  before: string,
  end: number,
  written: { events: number; sha256: string },
): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const take = (line: string): string => {
    hash.update(`${line}\n`)
    return `${line}\n`
  }
  const drop = await one(db, lastDrop, [])
  const previous = /sha256 ([0-9a-f]{64})$/.exec(drop?.detail ?? '')?.[1] ?? null
  yield take(JSON.stringify({ format, before, previous }))
  for await (const page of eventPages(db, end)) {
    written.events += page.length
    yield page.map((event) => take(eventLine(event))).join('')
  }
  written.sha256 = hash.digest('hex')
  yield `${JSON.stringify(written)}\n`
}

async function* eventPages(db: Db, end: number) {
  // Ends at an empty page: each begins behind the last event of the one before.
  for (let after = firstId; ;) {
    const page = await db.run(readEvents, [after, idAt(end), BigInt(eventsPerPage)])
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.id
  }
}

/**
 * Removes page by page what is in the file, so a run that was cut off can be repeated. The disk of
 * the years that are over is given back.
 */
export async function dropAudit(config: Config, say: Say, file: string): Promise<void> {
  const { before, sha256 } = await checkFile(file)
  await withOwner(config, async (db, address) => {
    const detail = toDetail(before, sha256)
    await requireOwn(db, file, detail)
    const event = commandEvent(systemClock().now(), { action: 'dropAudit', detail })
    await transaction(db, (tx) => addEvents(tx, [event]))
    const exported = readLines(file)
    await exported.next()
    let [dropped, kept] = [0, 0]
    for await (const page of eventPages(db, parseMonth(before))) {
      for (const each of page) await requireExported(exported, eventLine(each), each.id)
      const ids = page.filter(({ action }) => action !== keptAction).map(({ id }) => id)
      await transaction(db, async (tx) => {
        await tx.run(allowDrop, [])
        await tx.run(dropEvents, [ids])
      })
      dropped += ids.length
      kept += page.length - ids.length
    }
    say(`${dropped} events before ${before} were dropped; ${kept} of erasures stay.\n`)
    const ended = await db.run(readEndedYears, [new Date(parseMonth(before))])
    await giveBack(
      address,
      ended.map(({ part }) => part),
      say,
    )
  })
}

/**
 * The first pass takes what was dropped out of the indexes beside all readers, so that little is
 * left to write for the second one, which locks the part: reads of the trail wait, and may fail,
 * until it is rewritten.
 */
async function giveBack(address: Address, parts: readonly string[], say: Say): Promise<void> {
  const client = await connectPatiently(address)
  try {
    for (const part of parts) {
      const table = `strongroom.${client.escapeIdentifier(part)}`
      await client.query('set lock_timeout = 0')
      await client.query(`vacuum ${table}`)
      // Longer than PostgreSQL takes to end an autovacuum that is in the way (`deadlock_timeout`).
      await client.query(`set lock_timeout = '1500ms'`)
      await client.query(`vacuum full ${table}`)
    }
  } catch (thrown) {
    if (!isLockedOut(thrown)) throw thrown
    say('Another session reads what was dropped: repeat this later to get its disk back.\n')
  } finally {
    await client.end()
  }
}

/** What another one wrote is neither dropped by nor put back: the trail names its own exports. */
async function requireOwn(db: Db, file: string, detail: string): Promise<void> {
  if ((await one(db, findExport, [detail]))?.is) return
  throw new StartupError(`The export ${file} cannot be used: the audit trail does not name it.`)
}

/**
 * Puts back what `drop-audit` has removed last, in one transaction: a trail with a gap would look
 * like one that was changed. An event that is there stays as it is.
 */
export async function restoreAudit(config: Config, say: Say, file: string): Promise<void> {
  const { before, sha256 } = await checkFile(file)
  const detail = toDetail(before, sha256)
  await withOwner(config, async (db) => {
    await requireOwn(db, file, detail)
    if ((await one(db, lastMissing, []))?.detail !== detail) {
      throw new StartupError(`${file} is not the export that was dropped last: restore that one.`)
    }
    const count = await transaction(db, async (tx) => {
      let added = 0
      for await (const page of exportedPages(file)) {
        await addEvents(tx, page)
        added += page.length
      }
      const event = commandEvent(systemClock().now(), { action: 'restoreAudit', detail })
      await addEvents(tx, [event])
      return added
    })
    say(`${count} events before ${before} are in the audit trail.\n`)
  })
}

/** The events of a file that was checked: all lines but the first and the last. */
async function* exportedPages(file: string): AsyncGenerator<AuditEvent[]> {
  const lines = readLines(file)
  await lines.next()
  let page: AuditEvent[] = []
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const { at, ...event } = JSON.parse(line.value) as Omit<AuditEvent, 'at'> & { at?: string }
    if (at === undefined) break
    page.push({ ...event, at: Date.parse(at) })
    if (page.length < eventsPerPage) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

const readLines = (file: string): AsyncIterator<string> =>
  createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })[
    Symbol.asyncIterator
  ]()

/** The file may have more: what an earlier run has dropped. Both are in the same order. */
async function requireExported(
  exported: AsyncIterator<string>,
  line: string,
  id: string,
): Promise<void> {
  // Ends at that line, or by an error behind its place: at the end of the file at the latest.
  for (;;) {
    const next = await exported.next()
    if (next.done !== true && next.value === line) return
    const found = next.done === true ? undefined : (JSON.parse(next.value) as { id?: string }).id
    if (found === undefined || found >= id) {
      throw new Error(`Event ${id} is not in the export, or is another one there: export anew.`)
    }
  }
}

/** Reads the whole file. Throws {@link StartupError} when it is not as it was written. */
async function checkFile(file: string): Promise<{ before: string; sha256: string }> {
  const unusable = (reason: string): never => {
    throw new StartupError(`The export ${file} cannot be used: ${reason}.`)
  }
  const parse = (line: string): Record<string, unknown> => {
    try {
      return Object(JSON.parse(line)) as Record<string, unknown>
    } catch {
      return unusable('it is damaged')
    }
  }
  const hash = createHash('sha256')
  const lines = readLines(file)
  const read = () => lines.next().catch((thrown: unknown) => unusable((thrown as Error).message))
  let line = await read()
  const first = line.done === true ? {} : parse(line.value)
  const before = first['before']
  if (first['format'] !== format || typeof before !== 'string') {
    return unusable('it is not one of this version')
  }
  parseMonth(before)
  let last = ''
  for (; line.done !== true; line = await read()) {
    if (last !== '') hash.update(`${last}\n`)
    last = line.value
  }
  const sha256 = hash.digest('hex')
  if (parse(last)['sha256'] !== sha256) return unusable('it is damaged, or its end is missing')
  return { before, sha256 }
}
