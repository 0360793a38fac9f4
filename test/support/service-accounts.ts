// Service accounts as tests have them made: by the administrator, with the grants that are named.
import assert from 'node:assert/strict'
import type { Client } from './client.ts'
import { type ApiClient, clientWith, type World } from './world.ts'

export const serviceAccountsPath = '/api/v1/admin/service-accounts'

export type Granted = { readAccounts?: string | null; payFrom?: string[]; operations?: string[] }

export const toGrants = ({ readAccounts = null, payFrom = [], operations = [] }: Granted) => ({
  readAccounts,
  payFrom,
  operations,
})

/** A service account with a client that has its first key. */
export type Program = ReturnType<typeof clientWith> & {
  id: string
  keyId: string
  /** Changes it, as the administrator. */
  change(body: object): Promise<void>
  /** The same key on another instance. */
  on(send: Client['send']): ReturnType<typeof clientWith>
}

/** @param more such as `addresses` and `expiresAt` */
export async function newProgram(
  bank: Pick<World, 'as' | 'send'>,
  granted: Granted = {},
  more: object = {},
): Promise<Program> {
  const root = await bank.as('root')
  const body = { name: 'Program', grants: toGrants(granted), ...more }
  const made = await root.post(serviceAccountsPath, body)
  assert.equal(made.status, 201, made.text)
  const { id, key, keys } = made.body
  return {
    ...clientWith(bank.send, key),
    id,
    keyId: keys[0].id,
    change: (changes) => changeProgram(root, id, changes),
    on: (send) => clientWith(send, key),
  }
}

async function changeProgram(root: ApiClient, id: string, body: object): Promise<void> {
  const changed = await root.patch(`${serviceAccountsPath}/${id}`, body)
  assert.equal(changed.status, 200, changed.text)
}
