// The database of a command.
import { test } from 'node:test'
import { bank } from '../../test/support/bank.ts'
import { toUrl } from '../../test/support/database.ts'
import { readConfig } from '../config/config.ts'
import type { LocalAddress } from '../database/connect.ts'
import { statement } from '../database/statement.ts'
import { withOwner } from './database.ts'

const sleep = statement('test_sleep', [], { done: 'void' }, 'select pg_sleep(1.5) as done')

test("a read of the owner's commands may take longer than one of a request", async (t) => {
  const { address } = await bank(t)
  const config = readConfig({ STRONGROOM_DATABASE_URL: toUrl(address as LocalAddress) })
  await withOwner(config, (db) => db.run(sleep, []))
})
