import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toUrl } from '../../test/support/database.ts'
import { world } from '../../test/support/world.ts'
import { readConfig } from '../config/config.ts'
import type { LocalAddress } from '../database/connect.ts'
import { rotateKeys } from './rotate-keys.ts'

test('a rotation of the keys is recorded with the new key, or does not happen', async (t) => {
  const bank = await world(t)
  const url = toUrl(bank.address as LocalAddress)
  const config = readConfig({ STRONGROOM_DATABASE_URL: url })
  const output: string[] = []
  const kids = async () => {
    const { rows } = await bank.sql(
      'select kid, retired_at is null as signs from signing_keys order by kid',
    )
    return rows
  }
  await rotateKeys(config, (text) => void output.push(text), {})
  const { rows } = await bank.sql(
    `select actor_id, target, outcome, address, detail from audit_events
     where action = 'rotateKeys'`,
  )
  const signing = (await kids()).find(({ signs }) => signs)?.['kid'] as string
  assert.deepEqual(rows, [
    { actor_id: null, target: null, outcome: 'success', address: 'operator', detail: signing },
  ])
  assert.ok(output.join('').includes(signing))

  const before = await kids()
  await bank.sql('alter table audit_events add check (id is null) not valid')
  await assert.rejects(rotateKeys(config, () => {}, {}))
  assert.deepEqual(await kids(), before)
})
