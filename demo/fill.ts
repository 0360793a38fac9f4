// Fills an empty bank with the people and the year of the demo, through the functions that a
// request would reach.
import type { Action, Operation } from '../src/audit/actions.ts'
import { commandEvent } from '../src/audit/sql.ts'
import { readConfig } from '../src/config/config.ts'
import type { Database, ServiceDatabase } from '../src/database/connections/connect.ts'
import { one, statement } from '../src/database/statements/statement.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { systemClock } from '../src/domain/clock.ts'
import { newId } from '../src/domain/ids.ts'
import { dueAfter } from '../src/domain/calendar/rhythm.ts'
import type { Role } from '../src/gate/roles.ts'
import { databaseWith, afterRecording } from '../src/http/effects.ts'
import { openLedger } from '../src/ledger/batch/batch.ts'
import { isBelow } from '../src/ledger/rules/balance-notice.ts'
import { sumOfBlocks, tellBlock } from '../src/ledger/rules/blocks.ts'
import { type MovementKind } from '../src/ledger/rules/movement.ts'
import { cardIdOf } from '../src/ledger/rules/named-by-movement.ts'
import { changeStatus, closeAccount } from '../src/features/accounts/lifecycle.ts'
import { changeSettings } from '../src/features/accounts/settings.ts'
import { endSession } from '../src/features/auth/sql.ts'
import { addBlock, writeSum } from '../src/features/blocks/sql.ts'
import { deleteBeneficiary, setStatus } from '../src/features/beneficiaries/sql.ts'
import { writeChange } from '../src/features/cards/sql.ts'
import { lockedNoticeAccount, writeBelow, writeChoices } from '../src/features/notices/sql.ts'
import type { RefusedAttempt } from '../src/http/services.ts'
import { addRefused } from '../src/features/payments/refused-sql.ts'
import { addOrder } from '../src/features/orders/sql.ts'
import { applyChange } from '../src/features/users/change.ts'
import { addBakery } from './bakery.ts'
import { addDisputes } from './dispute.ts'
import { addExecutedList } from './list.ts'
import {
  addPeople,
  bakeryUsernames,
  type People,
  type Resident,
  usernames,
  type Year,
} from './people.ts'
import { closingResident, type Planned, planYear, type Step } from './year.ts'

const readUse = statement(
  'demo_read_use',
  ['text[]', 'text[]'],
  { is_used: 'bool', has_namesake: 'bool' },
  `select exists (select 1 from accounts where kind = 'customer')
            or exists (select 1 from transfers) as is_used,
          exists (select 1 from users where username = any($1) or email = any($2)) as has_namesake`,
)

/** Throws one line when the bank has accounts, transfers, or a user of the same name. */
export async function requireEmpty(db: Database): Promise<void> {
  const use = await one(db, readUse, [usernames, usernames.map((name) => `${name}@example.com`)])
  if (use?.is_used) throw new Error('The bank is not empty: the demo is only for a new one.')
  if (use?.has_namesake) throw new Error("The bank has people of the demo's names already.")
}

export type FillOptions = {
  year: Year
  /** Hashes the password of a person with that role; called once for each person. */
  hash: (role: Role) => Promise<string>
  progress?: (done: number, total: number) => void
  /** Whether an owner may let others act on an account. */
  hasMembers?: boolean
}

/** Fills the bank. Everything but identifiers, passwords and keys follows from the year. */
export async function fill(
  db: ServiceDatabase,
  { year, hash, progress, hasMembers = false }: FillOptions,
): Promise<{ customers: number; transfers: number }> {
  const people = await addPeople(db, year, hash, hasMembers)
  const transfers = await post(db, planYear(people, year), progress)
  const deposits = await addBakery(db, people, year.end)
  await changeStates(db, people, year.end)
  await addOrders(db, people, year)
  await addNotices(db, people)
  const chargebacks = await addDisputes(db, people, year.end)
  await transaction(db, (tx) => addRefused(tx, refusedPayments(people, year.end), year.end))
  const ofList = await addExecutedList(db, people, year)
  const bakers = people.bakery ? bakeryUsernames.length : 0
  const customers = people.shops.length + people.residents.length + bakers
  return { customers, transfers: transfers + ofList + deposits + chargebacks }
}

/** Gives the movements to the ledger, whose clock stands at the time of each step. */
async function post(
  db: ServiceDatabase,
  steps: readonly Step[],
  progress: FillOptions['progress'],
): Promise<number> {
  let at = 0
  const now = () => at
  const ledger = openLedger(db, { ...systemClock(), now, databaseTime: now })
  const madeIds = new Map<Planned, string>()
  const transferIds = new Set<string>()
  const submit = async (planned: Planned) => {
    const { finishes, withId } = planned
    const originalId = finishes && madeIds.get(finishes)
    const movement = originalId && withId ? withId(originalId) : planned.movement
    const action = staffActions[movement.kind]
    const customers = movement.kind === 'fee' ? movement.fromAccountId : movement.toAccountId
    const target = originalId ?? cardIdOf(movement) ?? customers
    const events = action && [
      staffEvent(movement.caller.userId, at, action, target, movement.reference),
    ]
    const made = await ledger.submit({ ...movement, ...(events && { events }) })
    const { id } =
      'transfer' in made ? made.transfer : 'hold' in made ? made.hold : made.authorization
    madeIds.set(planned, id)
    if ('transfer' in made) transferIds.add(id)
  }
  try {
    for (const [index, step] of steps.entries()) {
      at = step.at
      await Promise.all(step.movements.map(submit))
      progress?.(index + 1, steps.length)
    }
  } finally {
    await ledger.close()
  }
  return transferIds.size
}

/** By staff or for them; the others are made by customers, or not in this year. */
const staffActions = {
  transfer: undefined,
  authorization: 'authorizeCardPayment',
  increment: 'incrementCardPayment',
  card: 'captureCardPayment',
  clearing: 'clearCardPayment',
  refund: 'refundCardPayment',
  chargeback: 'chargeBackCardPayment',
  takeback: 'loseChargeback',
  hold: 'createHold',
  capture: 'captureHold',
  deposit: 'createDeposit',
  withdrawal: 'createWithdrawal',
  incoming: 'createIncomingPayment',
  sending: 'sendTransfer',
  settlement: 'settleTransfer',
  return: 'returnTransfer',
  reversal: 'reverseTransfer',
  cancellation: undefined,
  fee: 'createPosting',
  interest: 'createPosting',
  correction: 'createPosting',
} as const satisfies Record<MovementKind, Operation | undefined>

/** The audit event of a request by staff. */
const staffEvent = (actorId: string, at: number, action: Action, target: string, detail: string) =>
  commandEvent(at, {
    actorId,
    action,
    target,
    address: '127.0.0.1',
    detail: detail === '' ? null : detail,
  })

/** Freezes, blocks, closes, limits and deletes some things, and ends all sessions. */
async function changeStates(db: Database, people: People, end: number): Promise<void> {
  const { admin, callers, residents } = people
  const resident = (index: number): Resident => residents[index] as Resident
  const asAdmin = (action: Action, target: string, detail = ''): Database =>
    databaseWith(
      db,
      { request: afterRecording(() => staffEvent(admin.userId, end, action, target, detail)) },
      false,
    )

  const clock = { ...systemClock(), now: () => end, databaseTime: () => end }
  const account = (index: number) => resident(index).current.id
  const settings = (id: string) => asAdmin('updateAccountSettings', id)
  const [limited, overdrawn, suspect] = [account(0), account(1), account(12)]
  const limits = { dailyTransferLimit: '2500', currency: 'EUR' } as const
  await changeSettings(settings(limited), limited, limits, clock)
  const overdraft = { overdraftLimit: '1000', currency: 'EUR' } as const
  await changeSettings(settings(overdrawn), overdrawn, overdraft, clock)
  const freeze = { at: new Date(end), actorId: admin.userId, reason: 'Unusual payments' }
  await changeStatus(asAdmin('freezeAccount', suspect, freeze.reason), suspect, freeze)
  const blocked = account(13)
  const block = {
    id: newId(end),
    accountId: blocked,
    debits: true,
    credits: false,
    cause: 'court_order',
    note: 'Order 7 K 12/26 of the local court',
    until: null,
    setAt: new Date(end),
    setBy: admin.userId,
  } as const
  await transaction(asAdmin('blockAccount', blocked, tellBlock(block)), async (tx) => {
    await addBlock(tx, block)
    await writeSum(tx, { id: blocked, ...sumOfBlocks([block]) })
  })
  const emptied = closingResident(people).savings
  // No person acts on the account; the leaver was no administrator, so no keys are recorded.
  const record = () => Promise.resolve()
  if (emptied) await closeAccount(db, emptied.id, { clock, by: 'owner', record })
  const leaver = resident(10).current.owner.userId
  const { secondFactor } = readConfig({})
  const change = { userId: leaver, by: admin.userId, now: end, secondFactor, record }
  await applyChange(asAdmin('updateUser', leaver, 'status'), change, { status: 'disabled' })

  const card = (index: number) => resident(index).card.id
  const byAdmin = { actor: 'admin', actorId: admin.userId, now: end } as const
  const byOwner = (index: number) =>
    ({ actor: 'customer', actorId: resident(index).current.owner.userId, now: end }) as const
  await transaction(asAdmin('freezeCard', card(6)), (tx) =>
    writeChange(tx, card(6), { status: 'frozen' }, byAdmin),
  )
  const payee = (index: number) =>
    resident(index).current.payees.get('grocer')?.beneficiaryId as string
  await transaction(db, async (tx) => {
    await writeChange(tx, card(5), { status: 'frozen' }, byOwner(5))
    await writeChange(tx, card(7), { status: 'cancelled' }, byOwner(7))
    await setStatus(tx, payee(8), 'deactivated')
    await deleteBeneficiary(tx, payee(9))
    for (const { sessionId } of callers) await endSession(tx, sessionId, 'logout', end)
  })
}

/** Residents who chose their mails, and below which balance they are told. */
async function addNotices(db: Database, { residents }: People): Promise<void> {
  await transaction(db, async (tx) => {
    for (const { current } of residents.slice(0, 4)) {
      const { userId } = current.owner
      await writeChoices(tx, userId, [{ kind: 'money-arrived', channel: 'mail' }])
      const account = await lockedNoticeAccount(tx, current.id)
      if (!account) continue
      const noticeBelow = 20_000n
      await writeBelow(tx, {
        ...account,
        noticeBelow,
        isBelowTold: isBelow(noticeBelow, account.balance),
      })
    }
  })
}
/** Why a payment was refused is on the page of staff: two of the last day. */
const refusedPayments = ({ residents }: People, end: number): RefusedAttempt[] =>
  residents.slice(2, 4).map(({ current }, index) => ({
    accountId: current.id,
    reason: index === 0 ? 'insufficient_funds' : 'limit_exceeded',
    amount: 250_000n,
    currency: current.currency,
    beneficiaryId: current.payees.get('landlord')?.beneficiaryId ?? null,
    toAccountId: null,
    at: end - (index + 1) * 3_600_000,
  }))

/** Residents whose payments go on: the rent monthly, and money into savings weekly. */
async function addOrders(db: Database, people: People, { end, days }: Year): Promise<void> {
  const today = days.dayOf(end)
  const next = { lastOn: null, firstOn: '2020-01-01' } as const
  const rent = { rhythm: 'monthly', amount: 72_000n, reference: 'Rent' } as const
  // On a bank with holidays the rent is there in time.
  const monthly = { ...rent, onHoliday: 'before' } as const
  const weekly = { rhythm: 'weekly', amount: 2_500n, reference: 'Savings' } as const
  for (const { current, savings } of people.residents.slice(0, 8)) {
    const landlord = current.payees.get('landlord')?.beneficiaryId
    const targets = [
      landlord && { ...monthly, beneficiaryId: landlord, toAccountId: null },
      savings && { ...weekly, beneficiaryId: null, toAccountId: savings.id },
    ]
    for (const target of targets) {
      if (!target) continue
      const firstOn = dueAfter({ ...next, rhythm: target.rhythm }, today) as string
      const { userId: callerId, sessionId } = current.owner
      const made = { id: newId(end), accountId: current.id, callerId, sessionId, isProgram: false }
      const when = { firstOn, lastOn: null, retryDays: 3, createdAt: new Date(end) }
      await transaction(db, (tx) => addOrder(tx, { ...made, ...target, ...when }))
    }
  }
}
