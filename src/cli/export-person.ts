// `strongroom export-person`: all that the bank stores about a person, for that person (GDPR
// Art. 15). Hashes of passwords, tokens and card numbers are left out. Other people are shown as
// the API shows them; of an actor other than the person only the kind is shown.
import type { OwnAddress } from '../../languages/words.ts'
import { hasReason, mayHaveReason } from '../audit/kept-reasons.ts'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toAccount, toSettings } from '../features/accounts/schemas.ts'
import { accounts, readAccount, statuses } from '../features/accounts/sql.ts'
import { addEvents, commandEvent, eventColumns, events } from '../audit/sql.ts'
import { activeFactors } from '../features/factors/sql.ts'
import { fromText } from '../features/approvals/requests.ts'
import { approvalsAbout } from '../features/approvals/sql.ts'
import { toBeneficiary } from '../features/beneficiaries/schemas.ts'
import { beneficiariesByAccount } from '../features/beneficiaries/sql.ts'
import { toCardPayment } from '../features/card-payments/schemas.ts'
import { paymentsByAccount } from '../features/card-payments/sql.ts'
import { toCard } from '../features/cards/schemas.ts'
import { cardsByAccount } from '../features/cards/sql.ts'
import { toFormerEntry } from '../features/former-entries/routes.ts'
import { formerEntriesOf } from '../features/former-entries/sql.ts'
import { toDispute } from '../features/disputes/routes.ts'
import { disputesOfUser } from '../features/disputes/sql.ts'
import { toHold } from '../features/holds/schemas.ts'
import { holdsByAccount } from '../features/holds/sql.ts'
import { toBlock } from '../features/blocks/schemas.ts'
import { blocksOf } from '../features/blocks/sql.ts'
import { membersOfPerson } from '../features/members/personal.ts'
import { toNote } from '../features/notes/routes.ts'
import { notesOfUser } from '../features/notes/sql.ts'
import { toAccountNotices } from '../features/notices/routes.ts'
import { choicesOf, noticeAccount } from '../features/notices/sql.ts'
import { linkOf } from '../features/issuer/sql.ts'
import { refusedByAccount } from '../features/payments/refused-sql.ts'
import { toRefusedPayment } from '../features/payments/schemas.ts'
import { toOrder, toRun } from '../features/orders/schemas.ts'
import { ordersByAccount, runsOf } from '../features/orders/sql.ts'
import { toLine, toList } from '../features/payment-lists/schemas.ts'
import { linesOf, listsByAccount } from '../features/payment-lists/sql.ts'
import { draftsOfPerson } from '../features/drafts/personal.ts'
import { rfc3339, systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { readBankCalendar } from '../database/background/bank-calendar.ts'
import type { Database } from '../database/connections/connect.ts'
import { one, type RowOf } from '../database/statements/statement.ts'
import { transaction } from '../database/connections/transaction.ts'
import { firstId, lastId } from '../domain/ids.ts'
import { readDetails } from '../ledger/rows/transfer-details.ts'
import { addDetails } from '../features/movements/details.ts'
import { listTransfers } from '../features/movements/sql.ts'
import { isOfBlock } from '../ledger/rules/blocks.ts'
import { toTransaction, toTransfer } from '../features/movements/schemas.ts'
import { listStatementEntries } from '../features/statements/sql.ts'
import { toUser } from '../features/users/schemas.ts'
import { userById } from '../features/users/sql.ts'
import { withOwner } from './database.ts'
import {
  entryNotesOfAccount,
  findPerson,
  listDevices,
  listEventsAbout,
  listFormerNames,
  listImported,
  listOrderChanges,
  listSessions,
  paged,
  readActor,
  rowsPerPage,
} from './export-sql.ts'

/** @param user the identifier or the user name of the person */
export async function exportPerson(config: Config, _: unknown, user: string): Promise<void> {
  await withOwner(config, async (db) => {
    const text = await personAsJson(db, user, systemClock().now())
    await pipeline(Readable.from(text), process.stdout, { end: false })
  })
}

/**
 * The person as JSON, piece by piece. The audit event of the export is written before the first.
 *
 * @throws an Error of one line when there is no such person
 */
export async function personAsJson(
  db: Database,
  user: string,
  now: number,
): Promise<AsyncGenerator<string>> {
  const found = await one(db, findPerson, [user])
  if (!found) throw new Error('There is no such user.')
  const event = commandEvent(now, { action: 'exportPerson', target: found.id })
  await transaction(db, (tx) => addEvents(tx, [event]))
  return write(db, found.id, now)
}

type Items = AsyncIterable<object>

async function* write(db: Database, userId: string, now: number): AsyncGenerator<string> {
  const person = await userById(db, userId)
  yield `{\n"exportedAt": ${JSON.stringify(rfc3339(now))},\n`
  yield `"person": ${JSON.stringify(person && toUser(person))}`
  const all: Account[] = []
  for await (const account of accountsByOwner(db, userId, now)) all.push(account)
  const ids = all.map(({ id }) => id)
  const [findBy, calendar] = [createFindBy(db, userId), await readBankCalendar(db)]
  const sections = {
    formerNames: listOnce(() => db.run(listFormerNames, [userId])),
    imported: listOnce(() => db.run(listImported, [userId])),
    accounts: accountsWithSettings(db, all),
    beneficiaries: ofEach(ids, (id) =>
      paged((after, count) => beneficiariesByAccount(db, id, after, count), toBeneficiary),
    ),
    orders: ofEach(ids, (id) =>
      paged(
        (after, count) => ordersByAccount(db, id, after, count),
        (row) => ({ ...toOrder(row), madeBy: undefined, orderedBy: undefined }),
      ),
    ),
    orderRuns: ofEach(ids, (id) => runsByAccount(db, id)),
    orderChanges: ofEach(ids, (id) => orderChangesOf(db, id, findBy)),
    blocks: ofEach(ids, (id) => blocksOfAccount(db, id, now)),
    paymentLists: ofEach(ids, (id) =>
      paged(
        (after, count) => listsByAccount(db, id, after, count),
        (row) => ({ ...toList(row), madeBy: undefined, orderedBy: undefined }),
      ),
    ),
    paymentListLines: ofEach(ids, (id) => linesOfAccount(db, id)),
    holds: ofEach(ids, (id) =>
      paged((after, count) => holdsByAccount(db, id, undefined, after, count), toHold),
    ),
    cards: ofEach(ids, (id) =>
      paged(
        (after, count) => cardsByAccount(db, id, after, count),
        (card) => toCard(card, false),
      ),
    ),
    cardPayments: ofEach(ids, (id) =>
      paged((after, count) => paymentsByAccount(db, id, after, count), toCardPayment),
    ),
    disputes: paged((after, count) => disputesOfUser(db, userId, after, count), toDispute),
    refusedPayments: ofEach(ids, (id) =>
      paged((after, count) => refusedByAccount(db, id, after, count), toRefusedPayment),
    ),
    transfers: paged(
      async (after, count) => addDetails(db, await listTransfers(db, ids, after, count)),
      (transfer) => toTransfer(transfer, 'owner', { clocks: { calendar: () => calendar } }),
    ),
    transactions: ofEach(all, (account) => transactionsOf(db, account)),
    entryNotes: ofEach(ids, (id) => entryNotesOfAccount(db, id)),
    formerEntries: ofEach(ids, (id) =>
      paged((after, count) => formerEntriesOf(db, id, after, count), toFormerEntry),
    ),
    sessions: paged((after, count) => listSessions(db, userId, after, count)),
    devices: paged((after, count) => listDevices(db, userId, after, count)),
    factors: listOnce(() => activeFactors(db, userId)),
    issuerLinks: listOnce(() => issuerLinksOf(db, userId)),
    notices: listOnce(() => choicesOf(db, userId)),
    approvals: approvalsOf(db, userId, findBy),
    ...membersOfPerson(db, { userId, accountIds: ids, at: now }),
    ...draftsOfPerson(db, { userId, accountIds: ids, at: now }),
    // Who wrote one is not told: a person is told that it was staff.
    notes: paged(
      (after, count) => notesOfUser(db, userId, after, count),
      (row) => ({ ...toNote(row), writtenBy: undefined }),
    ),
  }
  // What was shown of the person, for the events about it.
  const shown = new Set([userId])
  for (const [name, items] of Object.entries(sections)) {
    yield* writeSection(name, items, ({ id }: { id?: string }) => id !== undefined && shown.add(id))
  }
  yield* writeSection('auditEvents', auditEventsOf(db, userId, [...shown], findBy))
  yield '\n}\n'
}

/** As the person sees them: not why, nor by whom. */
const blocksOfAccount = (db: Database, accountId: string, now: number): Items =>
  paged(
    (after, count) => blocksOf(db, { accountId }, after, count),
    (row) => {
      const { id, debits, credits, status, until, setAt, liftedAt } = toBlock(row, now)
      return { id, accountId, debits, credits, status, until, setAt, liftedAt }
    },
  )

async function* writeSection(
  name: string,
  items: Items,
  note: (item: object) => void = () => {},
): AsyncGenerator<string> {
  yield `,\n"${name}": [`
  let before = '\n'
  for await (const item of items) {
    note(item)
    yield before + JSON.stringify(item)
    before = ',\n'
  }
  yield ']'
}

async function issuerLinksOf(db: Database, userId: string) {
  const link = await linkOf(db, userId)
  return link ? [{ ...link, userId: undefined, linkedBy: undefined }] : []
}

/** The items of a short list. */
async function* listOnce<Row extends object>(fetch: () => Promise<Row[]>): Items {
  yield* await fetch()
}

async function* ofEach<Part, Item>(
  parts: readonly Part[],
  list: (part: Part) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  for (const part of parts) yield* list(part)
}

type Account = ReturnType<typeof toAccount>

const accountsByOwner = (db: Database, ownerId: string, now: number): AsyncGenerator<Account> =>
  paged(
    (after, count) => accounts(db, { ownerId, statuses }, after, count),
    (row) => toAccount(row, now),
  )

async function* accountsWithSettings(db: Database, all: readonly Account[]): Items {
  for (const account of all) {
    const [settings] = await db.lookup(readAccount, account.id)
    const noticed = await noticeAccount(db, account.id)
    yield {
      ...account,
      settings: settings && toSettings(settings),
      ...(noticed && { notices: toAccountNotices(noticed) }),
    }
  }
}

async function* runsByAccount(db: Database, accountId: string): Items {
  const orders = paged((after, count) => ordersByAccount(db, accountId, after, count))
  for await (const { id: orderId } of orders) {
    // Ends at an empty page, as above.
    for (let after: string | undefined; ;) {
      const rows = await runsOf(db, orderId, after, rowsPerPage)
      for (const row of rows) yield { orderId, ...toRun(row) }
      after = rows.at(-1)?.dueOn
      if (after === undefined) break
    }
  }
}

async function* linesOfAccount(db: Database, accountId: string): Items {
  const lists = paged((after, count) => listsByAccount(db, accountId, after, count))
  for await (const list of lists) {
    const lines = await linesOf(db, list.id, { after: -1, count: list.lineCount })
    for (const line of lines) yield { listId: list.id, ...toLine(line, list) }
  }
}

async function* orderChangesOf(db: Database, accountId: string, findBy: FindBy): Items {
  // Ends at an empty page: each begins behind the last change of the one before.
  for (let [orderId, version] = [firstId, 0]; ;) {
    const rows = await db.run(listOrderChanges, [accountId, orderId, version, BigInt(rowsPerPage)])
    for (const { callerId, at, version: _, ...row } of rows) {
      const by = callerId === null ? 'unknown' : await findBy(callerId)
      yield { ...row, at: rfc3339(at.getTime()), by }
    }
    const last = rows.at(-1)
    if (last === undefined) return
    ;({ orderId, version } = last)
  }
}

async function* transactionsOf(db: Database, account: Account): Items {
  // Ends at an empty page: each begins behind the last entry of the one before.
  for (let next = 1n; ;) {
    const rows = await db.run(listStatementEntries, [
      account.id,
      next,
      2n ** 63n - 1n,
      BigInt(rowsPerPage),
    ])
    const detailed = rows.filter(({ kind }) => kind === 'incoming' || kind === 'return')
    const ids = detailed.map(({ transferId }) => transferId)
    const found = new Map((await readDetails(db, ids)).map((each) => [each.transferId, each]))
    for (const row of rows) {
      const { transferId: _, ...details } = found.get(row.transferId) ?? {}
      const shown = toTransaction(row, account.currency)
      yield { accountId: account.id, ...shown, ...(found.has(row.transferId) && { details }) }
    }
    const last = rows.at(-1)?.seq
    if (last === undefined) return
    next = last + 1n
  }
}

/** Who did something, as the person is told. `bank`: the service on its own. */
type By =
  | 'person'
  | 'staff'
  | 'another customer'
  | 'service account'
  | 'operator'
  | 'bank'
  | 'unknown'

type FindBy = (actorId: string) => Promise<By>

function createFindBy(db: Database, userId: string): FindBy {
  const found = new Map<string, By>([[userId, 'person']])
  return async (actorId) => {
    const by = found.get(actorId) ?? ((await one(db, readActor, [actorId]))?.by as By | undefined)
    found.set(actorId, by ?? 'unknown')
    return by ?? 'unknown'
  }
}

/** Only staff can do it: the role may have been taken since. */
const asStaff = (by: By): By => (by === 'another customer' ? 'staff' : by)

/** The changes under four eyes that are about the person, as they were asked for. */
async function* approvalsOf(db: Database, userId: string, findBy: FindBy): Items {
  const rows = paged((after, count) => approvalsAbout(db, userId, after, count))
  for await (const { request, makerId, ...row } of rows) {
    const { id, operation, status, createdAt, decidedAt, reason, resourceId } = row
    const by = asStaff(await findBy(makerId))
    const { body, ...parts } = fromText(request)
    const isTold = !hasReason(operation)
    const asked = { id, operation, request: isTold ? { body, ...parts } : parts, by }
    const decided = { status, createdAt, decidedAt, ...(isTold && { reason }), resourceId }
    yield { ...asked, ...decided }
  }
}

/** The events by the person, and those by others about what the person has. */
async function* auditEventsOf(
  db: Database,
  userId: string,
  targets: readonly string[],
  findBy: FindBy,
): Items {
  const own = paged((before = lastId, count) =>
    events(db, { actorId: userId }, { least: firstId, before }, count),
  )
  for await (const event of own) yield toEvent(event, 'person')
  for (let first = 0; first < targets.length; first += rowsPerPage) {
    const some = targets.slice(first, first + rowsPerPage)
    const rows = paged((before = lastId, count) =>
      db.run(listEventsAbout, [some, before, BigInt(count)]),
    )
    for await (const event of rows) {
      const { actorId, address, outcome } = event
      if (actorId === userId) continue
      if (actorId === null) {
        yield toEvent(event, isOwnAddress(address) ? withoutActor[address] : 'unknown')
      } else {
        const by = await findBy(actorId)
        yield toEvent({ ...event, address: undefined }, outcome === 'success' ? asStaff(by) : by)
      }
    }
  }
}

/** For events without an actor: those with a client address were unauthenticated requests. */
const withoutActor = { operator: 'operator', service: 'bank' } as const satisfies Record<
  OwnAddress,
  By
>
const isOwnAddress = (address: string): address is OwnAddress =>
  Object.hasOwn(withoutActor, address)

type Event = Omit<RowOf<typeof eventColumns>, 'address'> & { address: string | undefined }

/** The address of another one is left out; the reason of a decision is in `approvals`. */
const toEvent = ({ id, at, action, target, outcome, address, detail }: Event, by: By): object => ({
  id,
  at,
  by,
  action,
  target,
  outcome,
  detail: by !== 'person' && (mayHaveReason(action) || isOfBlock(detail)) ? undefined : detail,
  address,
})
