// Shared by tests of four eyes: a service that holds operations back, and two administrators.
import assert from 'node:assert/strict'
import type { Route } from '../../src/http/route.ts'
import { isApprovable } from '../../src/features/approvals/requests.ts'
import { routes } from '../../src/features/routes.ts'
import { type ApiClient, clientWith, people, type Reply, type World } from './world.ts'

export const approvalsPath = '/api/v1/admin/approvals'

/** The changes by staff that can wait for a second person. */
export const holdable: readonly Route[] = routes.filter(isApprovable)
export const allOperations = holdable.map(({ operation }) => operation).join(',')

export type Pair = {
  /** Sends to the service that holds the operations back. */
  send: World['send']
  maker: ReturnType<typeof clientWith>
  checker: ReturnType<typeof clientWith>
}

/** Logs in two administrators: root, the maker, and `both`, the checker. */
export async function pairOf(bank: World, send: World['send'] = bank.send): Promise<Pair> {
  await makeAdministrator(bank)
  const [root, both] = [await bank.as('root'), await bank.as('both')]
  return { send, maker: clientWith(send, root.token), checker: clientWith(send, both.token) }
}

/**
 * Makes `both` an administrator, and gives root the role back that an earlier test of the same
 * world took.
 */
export const makeAdministrator = ({ sql }: World) =>
  sql(`update users set roles = '{admin}', status = 'active' where id = any ($1)`, [
    [people.both.id, people.root.id],
  ])

/** The path of the approval in the answer to a held change. */
export function approvalAt(reply: Reply): string {
  assert.equal(reply.status, 202, reply.text)
  const at = `${approvalsPath}/${reply.body.approvalId}`
  assert.equal(reply.headers['location'], at)
  assert.deepEqual(Object.keys(reply.body), ['approvalId', 'status', 'expiresAt'])
  return at
}

export const approve = (by: Pick<ApiClient, 'post'>, at: string) => by.post(`${at}/approve`)
