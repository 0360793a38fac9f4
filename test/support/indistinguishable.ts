// Requests whose answers must not reveal who exists, whose a resource is, or whether it exists.
import assert from 'node:assert/strict'
import type { Client, Reply } from './client.ts'
import type { Belongings } from './requests.ts'
import { password } from './people.ts'
import type { ApiClient } from './world.ts'

/** By the fact that the answer must not reveal. */
export type Kinds = Record<string, () => Promise<Reply>>

/** Ada and Agnes are active, Ben is disabled, Ivy has no password yet; nobody is nobody. */
export const logins = ({ send }: Pick<Client, 'send'>): Kinds => {
  const attempt = (username: string, word: string) => () =>
    send('POST', '/api/v1/auth/login', { body: { username, password: word } })
  return {
    'unknown user': attempt('nil', password),
    'wrong password': attempt('ada', 'seven fat kine in a barn'),
    'second factor, wrong password': attempt('agnes', 'seven fat kine in a barn'),
    'disabled, right password': attempt('ben', password),
    'no password yet': attempt('ivy', password),
  }
}

export const resets = ({ send }: Pick<Client, 'send'>): Kinds => {
  const ask = (email: string) => () =>
    send('POST', '/api/v1/auth/password-reset', { body: { email } })
  return {
    'known address': ask('ada@example.com'),
    'unknown address': ask('nil@example.com'),
    'disabled person': ask('ben@example.com'),
  }
}

/** Each is invited to the account, changed and taken back. Ben is a customer, Root is none. */
export function invitations({ post, patch, delete: end }: ApiClient, account: string): Kinds {
  const path = `/api/v1/accounts/${account}/members`
  const invite = (username: string) => async () => {
    const made = await post(path, { username, rights: 'pay' })
    assert.equal(made.status, 201, made.text)
    const at = `${path}/${made.body.id}`
    assert.equal((await patch(at, { rights: 'view' })).status, 200)
    return end(at)
  }
  return { customer: invite('ben'), 'unknown name': invite('nil'), 'no customer': invite('root') }
}

const nothing = '01940000-0000-7000-8000-0000000000ff'

/**
 * By route: a customer's requests for a resource of another customer, and for one that does not
 * exist.
 */
export function foreign(
  { send }: Pick<Client, 'send'>,
  token: string,
  own: Belongings,
  theirs: Belongings,
): Record<string, Kinds> {
  const both = (method: string, path: (id: string) => string, id: string, body?: object): Kinds => {
    const ask = (at: string) => () => send(method, path(at), { token, ...(body && { body }) })
    return { foreign: ask(id), missing: ask(nothing) }
  }
  const pay = (toAccountId: string) => () => {
    const terms = { fromAccountId: own.account, amount: '1.00', currency: 'EUR', reference: 'x' }
    return send('POST', '/api/v1/transfers', { token, body: { ...terms, toAccountId } })
  }
  const { account, beneficiary, card, transfer, session } = theirs
  return {
    'an account': both('GET', (id) => `/api/v1/accounts/${id}`, account),
    'a statement': both('GET', (id) => `/api/v1/accounts/${id}/transactions`, account),
    'a transfer': both('GET', (id) => `/api/v1/transfers/${id}`, transfer),
    'a beneficiary': both('DELETE', (id) => `/api/v1/beneficiaries/${id}`, beneficiary),
    'a card': both('POST', (id) => `/api/v1/cards/${id}/freeze`, card),
    'a session': both('DELETE', (id) => `/api/v1/auth/sessions/${id}`, session),
    'a payment to an account': { foreign: pay(account), missing: pay(nothing) },
  }
}
