// Disputes of the demo: a resident did not receive what was paid for by card, and staff have to
// look at it; another one has the money back until the card scheme has decided.
import { commandEvent } from '../src/audit/sql.ts'
import type { ServiceDatabase } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { currencyText, one, type RowOf, statement } from '../src/database/statements/statement.ts'
import { systemClock } from '../src/domain/clock.ts'
import { newId } from '../src/domain/ids.ts'
import { insertDispute } from '../src/features/disputes/sql.ts'
import { openLedger } from '../src/ledger/batch/batch.ts'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'
import type { People, Resident } from './people.ts'

const readLastPayment = statement(
  'demo_read_last_card_payment',
  ['uuid'],
  { id: 'uuid', amount: 'int8', currency: currencyText, shop: 'text?' },
  `select p.id, t.amount, t.currency, p.merchant_name as shop from card_authorizations p
   join hold_captures c on c.hold_id = p.id join transfers t on t.id = c.transfer_id
   where p.account_id = $1 and p.payment_id = p.id
     and not exists (select from card_refunds r where r.payment_id = p.id)
   order by t.created_at desc, p.id desc limit 1`,
)
type Paid = { resident: Resident; payment: RowOf<typeof readLastPayment.gives> }

/** The demo sends no mail. */
const deleteMails = statement(
  'demo_delete_mails',
  ['uuid'],
  'delete from mails where chargeback_id = $1',
)

/**
 * The first resident that has paid by card, and the last one, dispute their last payments. Gives
 * the number of chargebacks.
 */
export async function addDisputes(
  db: ServiceDatabase,
  people: People,
  yearEnd: number,
): Promise<number> {
  const paid: Paid[] = []
  for (const resident of people.residents) {
    const payment = await one(db, readLastPayment, [resident.current.id])
    if (payment) paid.push({ resident, payment })
  }
  const [first, last] = [paid[0], paid.at(-1)]
  if (first === undefined || last === undefined || first === last) return 0
  // On the last day of the year.
  const end = yearEnd - 1000
  await dispute(db, first, { reason: 'not_received', text: 'The parcel has never arrived.' }, end)
  await dispute(db, last, { reason: 'duplicate', text: 'I paid once.' }, end)
  await chargeBack(db, last, people, end)
  return 1
}

type Claim = { reason: 'not_received' | 'duplicate'; text: string }

const dispute = (
  db: ServiceDatabase,
  { resident: { current }, payment }: Paid,
  claim: Claim,
  end: number,
): Promise<void> =>
  transaction(db, async (tx) => {
    const { id: accountId, owner } = current
    const made = { id: newId(end), accountId, userId: owner.userId, createdAt: new Date(end) }
    await insertDispute(tx, { ...made, paymentId: payment.id, ...claim })
  })

async function chargeBack(
  db: ServiceDatabase,
  { resident: { current }, payment }: Paid,
  { processor }: People,
  end: number,
): Promise<void> {
  const { id: paymentId, amount, currency, shop } = payment
  const now = () => end
  const ledger = openLedger(db, { ...systemClock(), now, databaseTime: now })
  const action = 'chargeBackCardPayment'
  const by = { actorId: processor.userId, address: '127.0.0.1', detail: null }
  const { transfer } = await ledger.submit({
    kind: 'chargeback',
    caller: { ...processor, operation: action },
    fromAccountId: bankAccount('clearing', currency),
    toAccountId: current.id,
    amount,
    currency,
    reference: '',
    paymentId,
    reason: '12.6',
    ...(shop !== null && { counterparty: { name: shop, iban: null } }),
    events: [commandEvent(end, { ...by, action, target: paymentId })],
  })
  await ledger.close()
  await transaction(db, async (tx) => void (await tx.run(deleteMails, [transfer.id])))
}
