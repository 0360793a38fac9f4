// Shared by tests of the rail and of the processor.
import path from 'node:path'
import { bankAccount } from '../../src/ledger/internal-accounts.ts'
import { money } from '../../client/src/index.ts'
import type { Scene } from './fixture.ts'

/** The balance of the account that holds what is on its way. */
export async function readClearing({ sql }: Scene): Promise<string> {
  const { rows } = await sql('select balance::text from accounts where id = $1', [
    bankAccount('clearing', 'EUR'),
  ])
  return money.format(BigInt(String(rows[0]?.['balance'])), 'EUR')
}

/** Options of one run, with a journal of that name. */
export const optionsIn =
  (folder: string) =>
  (name: string, more: object = {}) => ({
    folder,
    journal: path.join(folder, name),
    currency: 'EUR',
    json: true,
    wait: 30,
    rounds: 1,
    signal: new AbortController().signal,
    ...more,
  })
