// `strongroom migrate`: for operators who keep the owner of the schema apart from the service.
import type { Config } from '../config/config.ts'
import { withDatabase } from './database.ts'
import { prepare } from './serve.ts'

export async function migrateCommand(config: Config, say: (text: string) => void): Promise<void> {
  const names = await withDatabase(config, (address) => prepare(address, say), { makesBank: true })
  for (const name of names) say(`Migrated: ${name}\n`)
  say('The database is up to date.\n')
}
