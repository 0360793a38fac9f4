// A payment list of the demo: ordered and executed, with one line that was refused when it was
// checked.
import { readConfig } from '../src/config/config.ts'
import type { ServiceDatabase } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { systemClock } from '../src/domain/clock.ts'
import { newId, newSalt } from '../src/domain/ids.ts'
import { beneficiaryById } from '../src/features/beneficiaries/sql.ts'
import { addList, orderList, type NewLine } from '../src/features/payment-lists/sql.ts'
import { openPaymentLists } from '../src/features/payment-lists/worker.ts'
import { openLedger } from '../src/ledger/batch/batch.ts'
import { digestList } from '../src/ledger/rules/list-digest.ts'
import type { People, Year } from './people.ts'

const wrongIban = 'DE89370400440532013001'
const amounts = [4_500n, 1_250n]

/** Returns how many payments it made. */
export async function addExecutedList(
  db: ServiceDatabase,
  people: People,
  { end: yearEnd, days }: Year,
): Promise<number> {
  // On the last day of the year.
  const end = yearEnd - 1000
  const payer = people.residents.find(({ current }) => current.payees.has('landlord'))?.current
  const id = payer?.payees.get('landlord')?.beneficiaryId
  const landlord = id === undefined ? undefined : await beneficiaryById(db, id)
  if (!payer || !landlord) return 0
  const at = new Date(end)
  const about = { toAccountId: null, endToEndId: null, blockId: null } as const
  const made = amounts.map((amount, place): NewLine => ({
    ...about,
    place,
    beneficiaryId: landlord.id,
    payeeName: landlord.name,
    payeeIban: landlord.iban,
    reference: 'Repairs',
    amount,
    earlyRefusal: null,
  }))
  const wrong: NewLine = {
    ...about,
    place: made.length,
    beneficiaryId: null,
    payeeName: 'Grace Hopper',
    payeeIban: wrongIban,
    reference: 'Typing error',
    amount: 2_000n,
    earlyRefusal: 'invalid_request',
  }
  const lines = [...made, wrong]
  const sumOf = (of: readonly NewLine[]) => of.reduce((sum, { amount }) => sum + amount, 0n)
  const { userId: callerId, sessionId } = payer.owner
  const list = {
    id: newId(end),
    salt: Buffer.from(newSalt(), 'hex'),
    accountId: payer.id,
    makerId: callerId,
    messageId: 'REPAIRS-1',
    form: 'json' as const,
    executeOn: null,
    createdAt: at,
    lineCount: lines.length,
    total: sumOf(lines),
    readyCount: made.length,
    readyTotal: sumOf(made),
  }
  await transaction(db, async (tx) => {
    await addList(tx, { ...list, digest: digestList(list, lines), refusedCount: 1 }, lines)
    await orderList(tx, list.id, { callerId, sessionId, isProgram: false, at: end })
  })
  const now = () => end
  const clock = { ...systemClock(), now, databaseTime: now }
  const ledger = openLedger(db, clock)
  const nothing = () => {}
  const lists = openPaymentLists({
    db,
    clock,
    clocks: { require: nothing, days: () => days },
    config: readConfig({}),
    ledger,
    log: { warn: nothing, error: nothing },
  })
  await lists.work()
  await lists.close()
  await ledger.close()
  return made.length
}
