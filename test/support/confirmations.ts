// People with a second factor in tests, and their confirmations of requests.
import assert from 'node:assert/strict'
import { newId } from '../../src/domain/ids.ts'
import type { SendOptions, Reply } from './client.ts'
import { type ApiClient, people, type PersonName, type World } from './world.ts'

/** A factor without known codes: for tests that only need one to be there. */
export async function giveFactor({ sql }: Pick<World, 'sql'>, name: PersonName): Promise<string> {
  const id = newId(1)
  await sql(
    `insert into factors (id, user_id, kind, name, secret_sealed, created_at, activated_at)
     values ($1, $2, 'totp', 'Phone', '\\x00', now(), now())`,
    [id, people[name].id],
  )
  await sql('update users set has_factor = true where id = $1', [people[name].id])
  return id
}

/** The identifier of the challenge that a request was refused with. */
export function toChallengeId({ status, body, text }: Reply): string {
  assert.equal(status, 403, text)
  assert.equal(body.code, 'confirmation_required', text)
  return body.challenge.id as string
}

/** Confirms without a proof, and gives the header field. */
export async function confirmAnyway({ sql }: Pick<World, 'sql'>, refused: Reply) {
  const id = toChallengeId(refused)
  await sql('update challenges set confirmed_at = created_at where id = $1', [id])
  return { confirmation: id }
}

/** Sends the request, confirms it and sends it again. */
export async function sendConfirmed(
  bank: Pick<World, 'sql'>,
  send: (headers: Record<string, string>) => Promise<Reply>,
): Promise<Reply> {
  return send(await confirmAnyway(bank, await send({})))
}

/** A payee elsewhere, who is added with a confirmation. */
export async function addPayee(
  bank: Pick<World, 'sql'>,
  client: ApiClient,
  accountId: string,
  { iban = 'GB33BUKB20201555555555', ...more }: { iban?: string; trusted?: boolean } = {},
): Promise<string> {
  const path = `/api/v1/accounts/${accountId}/beneficiaries`
  const body = { name: 'Grace Hopper', iban, ...more }
  const added = await sendConfirmed(bank, (headers) => client.post(path, body, { headers }))
  assert.equal(added.status, 201, added.text)
  return added.body.id as string
}

export const pay = (client: ApiClient, body: object, asked: SendOptions = {}): Promise<Reply> =>
  client.post('/api/v1/transfers', { currency: 'EUR', ...body }, asked)

type Calls = Pick<ApiClient, 'post' | 'patch' | 'delete'>

/** The same client, which confirms each request that is refused for a confirmation. */
export function confirming<C extends Calls>(bank: Pick<World, 'sql'>, client: C): C {
  async function repeat(
    send: (asked: SendOptions) => Promise<Reply>,
    asked: SendOptions = {},
  ): Promise<Reply> {
    const reply = await send(asked)
    if (reply.body?.code !== 'confirmation_required') return reply
    const confirmation = await confirmAnyway(bank, reply)
    return send({ ...asked, headers: { ...asked.headers, ...confirmation } })
  }
  return {
    ...client,
    post: (path, body, asked) => repeat((more) => client.post(path, body, more), asked),
    patch: (path, body, asked) => repeat((more) => client.patch(path, body, more), asked),
    delete: (path, asked) => repeat((more) => client.delete(path, more), asked),
  }
}
