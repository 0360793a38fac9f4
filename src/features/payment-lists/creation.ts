// A new list: checked whole behind the lock of its account, and stored. Nothing is paid by it.
import { ownBanks } from '../../config/config.ts'
import type { Db } from '../../database/statements/statement.ts'
import {
  countLimit,
  type Detail,
  detailsMax,
  invalid,
  Refusal,
  refuse,
} from '../../domain/errors.ts'
import { newId, newSalt } from '../../domain/ids.ts'
import { parseAmount } from '../../domain/money.ts'
import { once } from '../../http/once.ts'
import { Answer, type Context } from '../../http/route.ts'
import { readIdempotencyKey } from '../../ledger/batch/idempotency.ts'
import { digestList } from '../../ledger/rules/list-digest.ts'
import { maxBalance } from '../../ledger/rules/holds.ts'
import { signaturesNeeded } from '../../ledger/rules/signatures.ts'
import { lockAccount, type LockedRow, requireActive } from '../accounts/sql.ts'
import { itemsMax } from '../movements/many.ts'
import { readDay } from '../orders/terms.ts'
import { judgeLine, judgeSigned } from './judge.ts'
import { type ListItem, type NewList, toCheckedLine, toList } from './schemas.ts'
import {
  addList,
  beneficiariesOf,
  linesOf,
  listById,
  type ListRow,
  type NewLine,
  openListsMax,
  payeesOf,
} from './sql.ts'

type Creation = Context<{ accountId: string }, undefined, NewList>
type CheckedList = ListRow & { lines: { place: number; earlyRefusal: string | null }[] }

/** The amounts of the items in minor units. Refuses items that name no payee, or no amount. */
function readItems({ items, currency }: NewList): bigint[] {
  const faults: Detail[] = []
  const amounts = items.map((item, index) => {
    const path = `/body/items/${index}`
    const amount = parseAmount(item.amount, currency)
    if (amount === undefined) {
      faults.push({ path: `${path}/amount`, message: 'has more minor digits than its currency' })
    } else if (amount === 0n) faults.push({ path: `${path}/amount`, message: 'is zero' })
    const wrong = findPayeeFault(item)
    if (wrong) faults.push({ path: `${path}/${wrong[0]}`, message: wrong[1] })
    return amount ?? 0n
  })
  if (faults.length > 0) {
    throw new Refusal('invalid_request', { details: faults.slice(0, detailsMax) })
  }
  return amounts
}

function findPayeeFault({ beneficiaryId, iban, name }: ListItem): [string, string] | undefined {
  if (beneficiaryId !== undefined) {
    return iban === undefined && name === undefined
      ? undefined
      : ['beneficiaryId', 'cannot be beside name and iban']
  }
  if (iban === undefined) return ['iban', 'is missing, or beneficiaryId is']
  return name === undefined ? ['name', 'is missing'] : undefined
}

/** With an Idempotency-Key a repetition gets the first answer. */
export async function checkOnce(context: Creation) {
  const { params, body, headers, caller, db, service } = context
  const amounts = readItems(body)
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  if (total > maxBalance) invalid('/body/items', 'are too much together')
  if (body.executeOn !== undefined) readDay(body.executeOn, '/body/executeOn')
  const { row, isReplayed } = await once(db, service.clock, {
    callerId: caller.userId,
    key: readIdempotencyKey(headers),
    terms: ['createPaymentList', params.accountId, toTerms(body, amounts)],
    lock: (tx) => lockAccount(tx, params.accountId),
    make: (tx, account) => checkList(tx, account, context, { amounts, total }),
    note: () => null,
    readAgain: readChecked,
  })
  const { lines, ...list } = row
  return new Answer(
    { ...toList(list), lines: lines.map(toCheckedLine) },
    {
      location: `/api/v1/payment-lists/${row.id}`,
      ...(isReplayed && { 'idempotency-replayed': 'true' }),
    },
  )
}

/** "1.5" and "1.50" are one amount. */
const toTerms = (body: NewList, amounts: readonly bigint[]) => [
  body.messageId ?? null,
  body.currency,
  body.executeOn ?? null,
  body.debtorIban ?? null,
  body.form ?? null,
  ...body.items.map((item, index) => [
    item.beneficiaryId ?? null,
    item.name ?? null,
    item.iban ?? null,
    String(amounts[index]),
    item.reference ?? null,
    item.endToEndId ?? null,
    item.blockId ?? null,
  ]),
]

/** The list as it was answered first: before it was ordered, paid or cancelled. */
async function readChecked(tx: Db, id: string): Promise<CheckedList> {
  const present = await listById(tx, id)
  const lines = await linesOf(tx, id, { after: -1, count: itemsMax })
  return {
    ...present,
    status: 'checked',
    madeCount: 0,
    madeTotal: 0n,
    refusedCount: present.lineCount - present.readyCount,
    callerId: null,
    orderedAt: null,
    endedAt: null,
    lines,
  }
}

type Amounts = { amounts: readonly bigint[]; total: bigint }

async function checkList(
  tx: Db,
  found: LockedRow | undefined,
  { params: { accountId }, body, caller, now, service }: Creation,
  { amounts, total }: Amounts,
): Promise<CheckedList> {
  const account = requireActive(found)
  const { currency, debtorIban = account.iban } = body
  const isLate = body.executeOn !== undefined && body.executeOn < service.clocks.days().dayOf(now)
  // A file names a day, also where its customer means at once.
  const isFile = body.form !== undefined && body.form !== 'json'
  const executeOn = isLate && isFile ? null : (body.executeOn ?? null)
  if (account.currency !== currency) refuse('currency_mismatch')
  if (debtorIban !== account.iban) invalid('/body/debtorIban', 'is not that of the account')
  if (executeOn !== null && isLate) invalid('/body/executeOn', 'is in the past')
  const lines = await judgeLines(tx, account, body, {
    amounts,
    isProgram: caller.service !== undefined,
    isMember: caller.actingMember !== undefined,
    at: now,
    service,
  })
  const ready = lines.filter(({ earlyRefusal }) => earlyRefusal === null)
  const list = {
    id: newId(now),
    salt: Buffer.from(newSalt(), 'hex'),
    accountId,
    makerId: caller.userId,
    messageId: body.messageId ?? null,
    form: body.form ?? ('json' as const),
    executeOn,
    createdAt: new Date(now),
    lineCount: lines.length,
    total,
    readyCount: ready.length,
    readyTotal: ready.reduce((sum, { amount }) => sum + amount, 0n),
  }
  const digest = digestList(list, lines)
  const refusedCount = lines.length - ready.length
  if (!(await addList(tx, { ...list, digest, refusedCount }, lines))) {
    refuse('limit_exceeded', { limit: countLimit('paymentLists', openListsMax) })
  }
  return { ...(await listById(tx, list.id)), lines }
}

type Judging = Pick<Amounts, 'amounts'> & {
  isProgram: boolean
  isMember: boolean
  at: number
  service: Creation['service']
}

async function judgeLines(
  tx: Db,
  account: LockedRow,
  { items }: NewList,
  { amounts, isProgram, isMember, at, service }: Judging,
): Promise<NewLine[]> {
  const { config } = service
  const ids = items.flatMap(({ beneficiaryId }) => beneficiaryId ?? [])
  const own = ids.length > 0 ? await beneficiariesOf(tx, account.id, [...new Set(ids)]) : []
  const named = new Map(own.map(({ id, iban }) => [id, iban]))
  const ibans = new Set([...items.flatMap(({ iban }) => iban ?? []), ...named.values()])
  const payees = await payeesOf(tx, account.id, [...ibans])
  const facts = {
    account,
    payees: new Map(payees.map((payee) => [payee.iban, payee])),
    named,
    banks: ownBanks(config),
    isProgram,
    isMember,
    isCheckRequired: config.payeeCheck === 'required',
  }
  return items.map((item, place) => ({
    place,
    ...judgeSigned(judgeLine(item, facts), signaturesNeeded(account, amounts[place] as bigint, at)),
    reference: item.reference ?? '',
    endToEndId: item.endToEndId ?? null,
    blockId: item.blockId ?? null,
    amount: amounts[place] as bigint,
  }))
}
