// A bakery of the demo: three people act for one account, two sign from €1,000 on, and a payment
// waits for them.
import { commandEvent } from '../src/audit/sql.ts'
import type { ServiceDatabase } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { dayMs, systemClock } from '../src/domain/clock.ts'
import { createIban } from '../src/domain/iban.ts'
import { newId } from '../src/domain/ids.ts'
import { addBeneficiary } from '../src/features/beneficiaries/sql.ts'
import { addDraft } from '../src/features/drafts/sql.ts'
import { addMember, writeAccepted } from '../src/features/members/sql.ts'
import { writeSignatures } from '../src/features/signatures/sql.ts'
import { openLedger } from '../src/ledger/batch/batch.ts'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'
import { bakeryUsernames, type People } from './people.ts'

const mill = { name: 'Mühle Havelland', iban: createIban('DE', '008800880000204101') }

/** Returns how many deposits it made: none without a bakery. */
export async function addBakery(
  db: ServiceDatabase,
  { admin, bakery }: People,
  yearEnd: number,
): Promise<number> {
  if (!bakery) return 0
  // Sessions of the demo live until then.
  const end = yearEnd - 1000
  const { account, helperId } = bakery
  const { id: accountId, currency } = account
  const at = new Date(end)
  const [, payer, helper] = bakeryUsernames
  const unlimited = { perPayment: null, perDay: null, until: null }
  await transaction(db, async (tx) => {
    for (const [username, granted] of [
      [payer, { ...unlimited, rights: 'pay', perDay: 500_000n }],
      [helper, { ...unlimited, rights: 'prepare' }],
    ] as const) {
      const id = newId(end)
      const times = { invitedAt: at, expiresAt: new Date(end + 7 * dayMs) }
      await addMember(tx, {
        id,
        accountId,
        username,
        inviterSessionId: null,
        inviterKid: null,
        ...granted,
        ...times,
      })
      await writeAccepted(tx, { id, acceptedAt: at })
    }
    const never = { nextSignaturesFrom: null, nextSignaturesAt: null }
    await writeSignatures(tx, { id: accountId, signaturesFrom: 100_000n, ...never })
    const wish = { id: newId(end), accountId, ...mill, nickname: null, now: end }
    const payee = await addBeneficiary(tx, wish)
    if (payee === 'own iban') throw new Error(`${mill.name} cannot be paid`)
    await addDraft(tx, {
      id: newId(end),
      accountId,
      makerId: helperId,
      makerSessionId: null,
      makerKid: null,
      beneficiaryId: payee.id,
      toAccountId: null,
      amount: 124_000n,
      reference: 'Flour, invoice 2041',
      payeeResult: null,
      payeeAccepted: null,
      expiresAt: new Date(end + 30 * dayMs),
      createdAt: at,
    })
  })
  const now = () => end
  const ledger = openLedger(db, { ...systemClock(), now, databaseTime: now })
  const reference = 'Takings of the month'
  const about = { actorId: admin.userId, target: accountId, address: '127.0.0.1' }
  await ledger.submit({
    kind: 'deposit',
    fromAccountId: bankAccount('cash', currency),
    toAccountId: accountId,
    amount: 864_000n,
    currency,
    reference,
    caller: admin,
    events: [commandEvent(end, { ...about, action: 'createDeposit', detail: reference })],
  })
  await ledger.close()
  return 1
}
