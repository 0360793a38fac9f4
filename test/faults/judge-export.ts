// The bank that a storm leaves, taken over by an empty one: what that one exports has to be the
// same bytes, and its books sound.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openAsOwner } from '../support/owner.ts'
import { exportFolder } from '../../src/cli/import/export.ts'
import { importFolder } from '../../src/cli/import/import.ts'
import { prepareDatabase } from '../../src/cli/serve.ts'
import { readConfig } from '../../src/config/config.ts'
import { type LocalAddress, openDatabase } from '../../src/database/connections/connect.ts'
import { systemClock } from '../../src/domain/clock.ts'
import { verifyLedger } from '../../src/ledger/proof/verify.ts'
import { query } from './base.ts'
import { type History, violate } from './history.ts'

const clock = systemClock()
const say = () => {}

/** @param address of the server that the storm has left; it gets a second database */
export async function judgeExport(history: History, address: LocalAddress): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-round-'))
  const other = { ...address, database: 'another_bank' }
  const [first, again] = [path.join(folder, 'first'), path.join(folder, 'again')]
  try {
    await query(address, `create database ${other.database}`)
    await prepareDatabase(other)
    await exportFrom(address, first)
    await importFolder(first, { address: other, config: readConfig({}), say, clock })
    await exportFrom(other, again)
    const mismatch = await findMismatch(other)
    if (mismatch) violate(history, `The bank of the import is not sound: ${mismatch}`)
    for (const name of await readdir(first)) {
      const [was, is] = await Promise.all(
        [first, again].map((each) => readFile(path.join(each, name), 'utf8')),
      )
      if (was !== is) violate(history, `${name} of the export is another after an import`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function exportFrom(address: LocalAddress, folder: string): Promise<void> {
  const db = openAsOwner(address)
  try {
    await exportFolder(folder, { db, address, say, clock })
  } finally {
    await db.close()
  }
}

async function findMismatch(address: LocalAddress): Promise<string | undefined> {
  const db = openDatabase(address)
  try {
    return (await verifyLedger(db)).mismatch
  } finally {
    await db.close()
  }
}
