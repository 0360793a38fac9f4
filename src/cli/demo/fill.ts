// Fills an empty bank with the demo's year, through the code that a request would have reached.
import { changeSettings } from '../../features/accounts/settings.ts'
import { changeStatus, close } from '../../features/accounts/lifecycle.ts'
import { auditedDatabase } from '../../audit/audited-transaction.ts'
import { endSession } from '../../features/auth/sql.ts'
import { deleteBeneficiary, setStatus } from '../../features/beneficiaries/sql.ts'
import { writeChange } from '../../features/cards/sql.ts'
import { systemClock } from '../../domain/clock.ts'
import type { Database, ServiceDatabase } from '../../database/connect.ts'
import { one, statement } from '../../database/statement.ts'
import { transaction } from '../../database/transaction.ts'
import type { Role } from '../../gate/roles.ts'
import { newId } from '../../domain/ids.ts'
import { openLedger } from '../../ledger/batch.ts'
import { applyChange } from '../../features/users/change.ts'
import { businesses, residents, staff, toUsername } from './cast.ts'
import type { Step } from './diary.ts'
import { type Customer, openBank, type Opened, type Year } from './open.ts'
import { closingCustomer, planYear } from './year.ts'

export type Filled = { customers: number; transfers: number }

const readUse = statement(
  'demo_read_use',
  ['text[]', 'text[]'],
  { is_used: 'bool', has_namesake: 'bool' },
  `select exists (select 1 from accounts where kind = 'customer')
            or exists (select 1 from transfers) as is_used,
          exists (select 1 from users where username = any($1) or email = any($2)) as has_namesake`,
)

/** Throws one line when there is anything in the bank that the demo could be mistaken for. */
export async function requireEmpty(db: Database): Promise<void> {
  const usernames = [...staff, ...businesses, ...residents].map(toUsername)
  const emails = usernames.map((name) => `${name}@example.com`)
  const use = await one(db, readUse, [usernames, emails])
  if (use?.is_used) throw new Error('The bank is not empty: the demo is only for a new one.')
  if (use?.has_namesake) throw new Error("The bank has people of the demo's names already.")
}

export type Wanted = {
  year: Year
  /** Hashes the password of a person with that role; called once for each. */
  hash: (role: Role) => Promise<string>
  progress?: (done: number, total: number) => void
}

/** Fills the bank. Everything but identifiers, passwords and keys follows from the year. */
export async function fill(db: ServiceDatabase, { year, hash, progress }: Wanted): Promise<Filled> {
  const opened = await openBank(db, year, hash)
  const steps = planYear(opened, year)
  const transfers = await post(db, steps, progress)
  await finish(db, opened, year)
  return { customers: opened.shops.length + opened.customers.length, transfers }
}

/** Hands the year to the ledger, moment by moment, on a clock that stands at each of them. */
async function post(
  db: ServiceDatabase,
  steps: readonly Step[],
  progress: Wanted['progress'],
): Promise<number> {
  let at = 0
  const now = () => at
  const ledger = openLedger(db, { ...systemClock(), now, databaseTime: now })
  const transferIds = new Map<number, string>()
  try {
    for (const [index, step] of steps.entries()) {
      at = step.at
      const posting = step.orders.map(async ({ number, order, of }) => {
        const originalId = of === undefined ? undefined : transferIds.get(of)
        const told = originalId === undefined ? order : about(order, originalId)
        const { transfer } = await ledger.submit(told)
        transferIds.set(number, transfer.id)
      })
      await Promise.all(posting)
      progress?.(index + 1, steps.length)
    }
  } finally {
    await ledger.close()
  }
  return new Set(transferIds.values()).size
}

type Submitted = Step['orders'][number]['order']

const about = (order: Submitted, originalId: string): Submitted => ({
  ...order,
  originalId,
  ...(order.event && { event: { ...order.event, target: originalId } }),
})

/** Leaves the bank with things that are frozen, closed, limited and gone. */
async function finish(db: Database, opened: Opened, { end }: Year): Promise<void> {
  const { customers, admin, shops } = opened
  const at = (index: number): Customer => customers[index] as Customer
  const asAdmin = (action: string, target: string, detail: string | null): Database =>
    auditedDatabase(db, () => ({
      id: newId(end),
      at: end,
      actorId: admin.userId,
      action,
      target,
      outcome: 'success',
      requestId: newId(end),
      address: '127.0.0.1',
      detail,
    }))
  const settings = (id: string) => asAdmin('updateAccountSettings', id, null)
  const [limited, overdrawn, suspect] = [at(0).current.id, at(1).current.id, at(12).current.id]
  await changeSettings(settings(limited), limited, { dailyTransferLimit: '2500', currency: 'EUR' })
  await changeSettings(settings(overdrawn), overdrawn, { overdraftLimit: '1000', currency: 'EUR' })
  const freezing = asAdmin('postAdminAccountFreeze', suspect, 'Unusual payments')
  await changeStatus(freezing, suspect, 'frozen')
  const closing = closingCustomer(customers).savings
  if (closing) await close(db, closing.id)
  const card = asAdmin('postCardFreeze', at(6).cardId, null)
  await transaction(db, (tx) => writeChange(tx, at(5).cardId, { status: 'frozen' }, 'customer'))
  await transaction(card, (tx) => writeChange(tx, at(6).cardId, { status: 'frozen' }, 'admin'))
  await transaction(db, (tx) => writeChange(tx, at(7).cardId, { status: 'cancelled' }, 'customer'))
  const [paused, gone] = [at(8), at(9)].map(({ pays }) => [...pays.values()][0]?.beneficiaryId)
  await transaction(db, (tx) => setStatus(tx, paused as string, 'deactivated'))
  await transaction(db, (tx) => deleteBeneficiary(tx, gone as string))
  const left = at(10).current.owner.userId
  const disabling = asAdmin('updateAdminUser', left, 'status')
  const change = { userId: left, by: admin.userId, now: end }
  await applyChange(disabling, change, { status: 'disabled' })
  const callers = [
    admin,
    ...opened.agents,
    ...shops.map(({ account }) => account.owner),
    ...customers.map(({ current }) => current.owner),
  ]
  await transaction(db, async (tx) => {
    for (const { sessionId } of callers) await endSession(tx, sessionId, 'logout', end)
  })
}
