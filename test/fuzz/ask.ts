// Requests of a run that have to succeed: those by which its fixtures are made.
import assert from 'node:assert/strict'
import { scheduler } from 'node:timers/promises'
import type { PersonName, World } from '../support/world.ts'
import type { Pool } from './pool.ts'

/** Asks until there is an answer: a machine out of breath makes the database slow for a moment. */
export async function ask(bank: World, ...[method, at, asked]: Parameters<World['send']>) {
  for (let turn = 1; ; turn++) {
    const reply = await bank.send(method, `/api/v1${at}`, asked)
    if (reply.status !== 503 || turn === turnsMax) return reply
    await scheduler.wait(1000)
  }
}
const turnsMax = 8

export async function asked(pool: Pool, by: PersonName, method: string, at: string, body?: object) {
  const { token } = pool.cast[by]
  const reply = await ask(pool.bank, method, at, { token, body })
  assert.ok(reply.status < 300, `${by}: ${method} ${at}: ${reply.status} ${reply.text}`)
  return reply.body as { id: string; iban: string; sessionId: string }
}
export const asRoot = (pool: Pool, method: string, at: string, body?: object) =>
  asked(pool, 'root', method, at, body)
