// `strongroom archive`: what was booked before a day leaves the database for a folder. `--restore`
// puts the newest folder back.
import { rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import type { Config } from '../../config/config.ts'
import { readDays } from '../../database/background/bank-days.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { rfc3339, systemClock } from '../../domain/clock.ts'
import { isDay } from '../../domain/date-range.ts'
import type { Days } from '../../domain/days.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { detailOfArchive } from '../../ledger/archive/check-sql.ts'
import type { ArchiveCounts } from '../../ledger/archive/prove-archive.ts'
import { addArchive, countLeft, endRemoval, newestArchive } from '../../ledger/archive/state-sql.ts'
import { withOwner } from '../database.ts'
import { proveFolder, requireNewest } from './check.ts'
import { type ArchiveFolder, isFolder, openFolder, unusable, writeFolder } from './folder.ts'
import { UnsoundBooks } from '../report.ts'
import { besideNoOther, whileInState, whileLocked } from './lock.ts'
import { requireOfDatabase } from './match.ts'
import { changing, removeRows, rowsPerPiece } from './remove.ts'
import { allowOlder, refuseOlder, requireNoOtherRelease } from './releases.ts'
import { restoreFolder } from './restore.ts'
import { writeLines } from './write.ts'

type Say = (text: string) => void
export type ArchiveOptions = { until?: string; restore?: boolean }

/**
 * How old in months the newest entry of an archive is at least. The service needs a transfer for
 * longer nowhere: a statement has 366 days, a cardholder disputes a payment within 540 days of its
 * processing (rules of card schemes), a payer an unauthorised payment within 13 months (Directive
 * (EU) 2015/2366, Article 71), and limits, keys and duplicates count days.
 */
export const leastAgeMonths = 24

export async function archiveCommand(
  config: Config,
  say: Say,
  folder: string,
  { until, restore = false }: ArchiveOptions,
): Promise<void> {
  if ((until === undefined) !== restore) throw new StartupError('Give either --until or --restore.')
  await withOwner(config, (db, address) =>
    besideNoOther(address, async (client) => {
      const now = await databaseNow(db, systemClock())
      try {
        if (until === undefined) {
          return await restoreFolder(whileLocked(db, client), say, folder, now)
        }
        await refuseOlder(client)
        const own = whileLocked(db, client, requireNoOtherRelease)
        await archiveUntil(own, say, folder, { until, now })
      } finally {
        // Without the lock another run may need it. At worst older releases stay refused.
        await transaction(whileLocked(db, client), allowOlder).catch(() => {})
      }
    }),
  )
}

type ArchiveTerms = { until: string; now: number; pieces?: typeof rowsPerPiece }

/** Writes the folder, proves it, and removes what it has; goes on where a run was cut off. */
export async function archiveUntil(
  db: Database,
  say: Say,
  givenPath: string,
  { until, now, pieces = rowsPerPiece }: ArchiveTerms,
): Promise<void> {
  const path = toFolderPath(givenPath)
  const days = await readDays(db)
  const end = readUntil(until, now, days)
  const newest = await newestArchive(db)
  if (newest?.state === 'restoring') {
    throw new StartupError(`The archive ${newest.name} is half restored: end that first.`)
  }
  if (newest?.state === 'removing') {
    const begun = await openFolder(path)
    await requireNewest(db, begun)
    requireSameEnd(begun, end)
    say('An earlier run was cut off; it is ended now.\n')
    await proveFolder(begun)
    return endArchive(db, say, begun, { now, pieces })
  }
  if (newest && end <= newest.until.getTime()) {
    const day = days.dayOf(newest.until.getTime())
    throw new StartupError(`What is before ${day} is in the archive ${newest.name}.`)
  }
  const { folder, counts } = await prepareFolder(db, path, { end, now, newest })
  await changing(db, (tx) =>
    addArchive(tx, {
      id: folder.manifest.id,
      until: new Date(end),
      name: folder.name,
      digest: folder.digest,
      entries: counts.entries,
      transfers: counts.transfers,
      madeAt: new Date(folder.manifest.madeAt),
    }),
  )
  await endArchive(db, say, folder, { now, pieces })
}

/** As the column `name` of its row has it. */
const nameLengthMax = 200

function toFolderPath(given: string): string {
  const path = resolve(given)
  const { length } = [...basename(path)]
  if (length > 0 && length <= nameLengthMax) return path
  throw new StartupError(`The name of the folder has 1 to ${nameLengthMax} characters.`)
}

type Newest = Awaited<ReturnType<typeof newestArchive>>

/**
 * A folder that an earlier run has written, but not begun to remove, is used if it is of the same
 * end. One that is not sound is not left: the next run would use it.
 */
async function prepareFolder(
  db: Database,
  path: string,
  { end, now, newest }: { end: number; now: number; newest: Newest },
): Promise<{ folder: ArchiveFolder; counts: ArchiveCounts }> {
  const about = {
    id: (newest?.id ?? 0) + 1,
    until: rfc3339(end),
    madeAt: rfc3339(now),
    previous: newest?.digest ?? null,
  }
  const isThere = await isFolder(path)
  const folder = isThere
    ? await openFolder(path)
    : await writeFolder(path, about, (files) => writeLines(db, end, files))
  const { id, until, previous } = folder.manifest
  const isSame = id === about.id && until === about.until && previous === about.previous
  if (!isSame) throw unusable(path, 'it exists already')
  try {
    const counts = await proveFolder(folder)
    await requireOfDatabase(db, folder)
    if (counts.entries > 0n) return { folder, counts }
    throw new StartupError(`Nothing was booked before ${about.until.slice(0, 10)}.`)
  } catch (thrown) {
    const isOfFolder = thrown instanceof UnsoundBooks || thrown instanceof StartupError
    // What hours have written stays where the database was away for a second.
    if (isOfFolder && !isThere) await rm(path, { recursive: true, force: true })
    throw thrown
  }
}

async function endArchive(
  anyDb: Database,
  say: Say,
  folder: ArchiveFolder,
  { now, pieces }: Required<Omit<ArchiveTerms, 'until'>>,
): Promise<void> {
  const { id, until, files } = folder.manifest
  const db = whileInState(anyDb, id, 'removing')
  await removeRows(db, folder, pieces)
  const detail = detailOfArchive(folder.digest, until)
  // Nothing but an archive changes what is counted.
  const { kept, broughtBack } = await countLeft(anyDb)
  await changing(db, async (tx) => {
    await tx.run(endRemoval, [id, kept, broughtBack])
    await addEvents(tx, [commandEvent(now, { action: 'archiveBooks', detail })])
  })
  say(
    `${files.entries.lines} entries and ${files.transfers.lines} transfers before ${until} are ` +
      `in ${folder.path}, and not in the database any more.\nSHA-256 of its manifest: ` +
      `${folder.digest}\n`,
  )
}

function readUntil(until: string, now: number, days: Days): number {
  if (!isDay(until)) throw new StartupError('--until is a day, such as 2024-01-01.')
  const end = days.startOf(until)
  const bound = new Date(now)
  bound.setUTCMonth(bound.getUTCMonth() - leastAgeMonths)
  if (end <= days.startOf(days.dayOf(bound.getTime()))) return end
  throw new StartupError(
    `--until is ${days.dayOf(bound.getTime())} at the latest: what is younger than ` +
      `${leastAgeMonths} months is still needed.`,
  )
}

function requireSameEnd({ path, manifest }: ArchiveFolder, end: number): void {
  if (Date.parse(manifest.until) === end) return
  throw unusable(path, `it is until ${manifest.until}, and was begun so`)
}
