// Ada's account with members, and payments that two people sign from €1,000 on.
import assert from 'node:assert/strict'
import { newId } from '../../src/domain/ids.ts'
import type { SendOptions } from './client.ts'
import { type Scene, sceneIn, transferBody } from './fixture.ts'
import { type ApiClient, people, type PersonName, world, type WorldOptions } from './world.ts'

type Span = Parameters<typeof world>[0]
export type MemberName = Extract<PersonName, 'ben' | 'both'>
export type DraftScene = Awaited<ReturnType<typeof draftScene>>

export const signaturesPath = (accountId: string) => `/api/v1/accounts/${accountId}/signatures`

/** It is 2 January 2026. Both members may pay; Ada's account has €5,000. */
export async function draftScene(t: Span, options: WorldOptions = {}) {
  const settings = { MEMBERS: 'on', ...options.settings }
  const bank: Scene = await sceneIn(await world(t, { ...options, settings }), '5000.00')
  const { from, to, sql, clock } = bank
  const voices = { ada: bank.ada, ben: await bank.as('ben'), both: await bank.as('both') }
  const member = async (name: MemberName, rights: 'view' | 'prepare' | 'pay', until?: number) => {
    const at = new Date(clock.now())
    await sql(
      `update account_members set ended_at = $2, ended_by = 'owner'
       where person_id = $1 and ended_at is null`,
      [people[name].id, at],
    )
    await sql(
      `insert into account_members
         (id, account_id, person_id, username, rights, until, invited_at, expires_at, accepted_at)
       select $1, a.id, $2, $3, $4, $5, $7, $7, $7 from accounts a where a.id = any($6)`,
      [
        newId(clock.now()),
        people[name].id,
        name,
        rights,
        until === undefined ? null : new Date(until),
        [from],
        at,
      ],
    )
  }
  await member('ben', 'pay')
  await member('both', 'pay')
  const rule = (amount: string | null, options_: SendOptions = {}, by: ApiClient = voices.ada) =>
    by.put(signaturesPath(from), { currency: 'EUR', from: amount, count: 2 }, options_)
  const set = await rule('1000.00')
  assert.equal(set.status, 200, set.text)
  const post = (by: PersonName & keyof typeof voices, amount: string, more: object = {}) =>
    voices[by].post(`/api/v1/accounts/${from}/drafts`, {
      amount,
      currency: 'EUR',
      beneficiaryId: payeeId,
      ...more,
    })
  const payee = await voices.ada.post(`/api/v1/accounts/${from}/beneficiaries`, {
    name: 'Grace Hopper',
    iban: 'GB33BUKB20201555555555',
  })
  const payeeId = payee.body.id as string
  return {
    ...bank,
    voices,
    payeeId,
    member,
    rule,
    post,
    async make(by: keyof typeof voices, amount: string, more: object = {}): Promise<string> {
      const reply = await post(by, amount, more)
      assert.equal(reply.status, 201, reply.text)
      return reply.body.id as string
    },
    sign: (by: keyof typeof voices, id: string, asked: SendOptions = {}) =>
      voices[by].post(`/api/v1/drafts/${id}/sign`, undefined, asked),
    cancel: (by: keyof typeof voices, id: string) => voices[by].delete(`/api/v1/drafts/${id}`),
    read: async (id: string) => (await voices.ada.get(`/api/v1/drafts/${id}`)).body,
    pay: (amount: string, by: Pick<ApiClient, 'post'> = voices.ada) =>
      by.post('/api/v1/transfers', transferBody(from, to, amount)),
    async status(id: string): Promise<string> {
      const { rows } = await sql('select status from payment_drafts where id = $1', [id])
      return String(rows[0]?.['status'])
    },
    async loginAgain(): Promise<void> {
      for (const name of ['ada', 'ben', 'both'] as const) voices[name] = await bank.login(name)
    },
  }
}
