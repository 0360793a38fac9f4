// An account with holds in a real service, and the steps of its model as requests.
import assert from 'node:assert/strict'
import type { Reply } from './client.ts'
import { newId } from '../../src/domain/ids.ts'
import { deposit } from './fixture.ts'
import type { Held, Model, Step } from './hold-model.ts'
import { type ApiClient, people, type World } from './world.ts'

type Voice = Omit<ApiClient, 'sessionId' | 'refreshToken'>
export type Voices = { ada: Voice; root: Voice }

export type HeldAccount = {
  id: string
  /** Identifiers of its holds by their places in the model. */
  holds: string[]
  send(step: Step, voices?: Voices, key?: string): Promise<Reply>
}

const money = (units: number) => ({ amount: `${units}.00`, currency: 'EUR' })

let count = 0

/**
 * An account of Ada's with that balance. `to` is another one of hers. It is not opened through the
 * API: a property that fails needs more accounts than a customer may have.
 */
export async function openHeld(
  { clock, sql }: Pick<World, 'clock' | 'sql'>,
  { ada, root }: Voices,
  { to, balance }: { to: string; balance: number },
): Promise<HeldAccount> {
  const id = newId(clock.now())
  await sql(
    `insert into accounts (id, owner_id, iban, currency, created_at)
     values ($1, $2, $3, 'EUR', '2026-01-01')`,
    [id, people.ada.id, `XX00${String(count++).padStart(16, '0')}`],
  )
  await deposit(root, id, `${balance}.00`)
  return heldAccount({ clock }, { ada, root }, { id, to })
}

/** The steps as requests about an account that is there. */
export function heldAccount(
  { clock }: Pick<World, 'clock'>,
  { ada, root }: Voices,
  { id, to }: { id: string; to: string },
): HeldAccount {
  const holds: string[] = []
  const toTime = (lastsMs: number) => new Date(clock.now() + lastsMs).toISOString()

  async function send(step: Step, voices: Voices = { ada, root }, key = String(Math.random())) {
    const asked = { headers: { 'idempotency-key': key } }
    const { ada: owner, root: staff } = voices
    const admin = `/api/v1/admin/accounts/${id}`
    const one = 'which' in step ? `/api/v1/holds/${holds[step.which]}` : ''
    switch (step.do) {
      case 'hold': {
        const { kind, amount, lastsMs } = step
        const expiresAt = Number.isFinite(lastsMs) ? { expiresAt: toTime(lastsMs) } : {}
        const body = { ...money(amount), kind, reference: 'Hotel', ...expiresAt }
        const reply = await staff.post(`/api/v1/accounts/${id}/holds`, body, asked)
        if (reply.status === 201) holds.push(reply.body.id as string)
        return reply
      }
      case 'capture': {
        const body = { ...money(step.amount), final: step.isFinal }
        return staff.post(`${one}/capture`, body, asked)
      }
      case 'release':
        return staff.post(`${one}/release`, undefined, asked)
      case 'change':
        return staff.patch(one, { amount: `${step.amount}.00` }, asked)
      case 'extend':
        return staff.patch(one, { expiresAt: toTime(step.lastsMs) }, asked)
      case 'transfer': {
        const body = { fromAccountId: id, toAccountId: to, ...money(step.amount) }
        return owner.post('/api/v1/transfers', body, asked)
      }
      case 'deposit':
        return staff.post(`${admin}/deposits`, { ...money(step.amount), reason: 'In' }, asked)
      case 'overdraft':
        return staff.patch(`/api/v1/accounts/${id}/settings`, {
          overdraftLimit: `${step.amount}.00`,
        })
      case 'freeze':
      case 'unfreeze':
        return staff.post(`${admin}/${step.do}`, { reason: 'A model' })
      case 'close':
        return owner.delete(`/api/v1/accounts/${id}`)
      case 'wait':
        clock.advance(step.ms)
        return { status: 200 } as Reply
    }
  }
  return { id, holds, send }
}

/**
 * The answer as the model gives it. The gate answers 404 for a closed account of the caller. If the
 * account is closed after the gate let the request pass, the ledger answers `account_closed`.
 */
export function answerOf({ status, body }: Reply): string {
  if (status < 300) return 'done'
  return body.code === 'not_found' ? 'account_closed' : (body.code as string)
}

type Row = {
  balance: number
  held: number
  overdraft: number
  status: Model['status']
  holds: (Held & { id: string; expiresAt: number | null })[]
}

/** One statement: the service ends holds in the background. Amounts are in minor units. */
const readRow = `select balance::int, held::int, overdraft_limit::int as overdraft, status, (
    select coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'amount', amount,
      'captured', captured, 'status', status,
      'expiresAt', extract(epoch from expires_at) * 1000)), '[]')
    from holds where account_id = accounts.id
  ) as holds
  from accounts where id = $1`

/** What the database says of the account, in the form of the model. */
export async function readModel(
  { sql, clock }: Pick<World, 'sql' | 'clock'>,
  { id, holds }: Pick<HeldAccount, 'id' | 'holds'>,
): Promise<Model & { held: number }> {
  const { rows } = await sql(readRow, [id])
  const row = rows[0] as unknown as Row
  assert.equal(row.holds.length, holds.length)
  const toHeld = (holdId: string): Held => {
    const found = row.holds.find((each) => each.id === holdId)
    const { kind, amount, captured, status, expiresAt } = found ?? assert.fail(holdId)
    const end = expiresAt === null ? Infinity : Math.round(expiresAt)
    return { kind, amount: amount / 100, captured: captured / 100, status, expiresAt: end }
  }
  return {
    now: clock.now(),
    balance: row.balance / 100,
    overdraft: row.overdraft / 100,
    status: row.status,
    holds: holds.map(toHeld),
    held: row.held / 100,
  }
}
