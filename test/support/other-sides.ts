// Shared by tests of the rail and of the processor.
import assert from 'node:assert/strict'
import path from 'node:path'
import { bankAccount } from '../../src/ledger/rules/internal-accounts.ts'
import { writeLogin } from '../../client/cli/login-file.ts'
import { type Bank, money } from '../../client/src/index.ts'
import { assertSound, type Scene } from './fixture.ts'
import { publishedClient } from './published-client.ts'
import type { Program } from './service-accounts.ts'

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

/** Keeps the key of the program for the command line. Gives the folder of the login. */
export async function keepLogin({ running }: Scene, { token: key }: Program, folder: string) {
  const at = path.join(folder, 'login')
  const ca = running.certificate.caPath as string
  await writeLogin(at, { baseUrl: `https://localhost:${running.httpsPort}`, ca, key })
  return at
}

/** Loses the first answer to each request of {@link publishedClient}. */
export const loseFirstAnswers = (when: 'before' | 'after', step: number): void => {
  if (when === 'after' && step % 2 === 1) throw new TypeError('fetch failed')
}

class Killed extends Error {}

type KilledProgram = {
  /** Makes the service account and the work of one run. */
  prepare(name: string): Promise<Program>
  run(bank: Bank, name: string, signal: AbortSignal): Promise<unknown>
  /** Starts it again with its journal, until its work is done. Gives its counts. */
  restart(bank: Bank, name: string): Promise<readonly { clearing: string }[]>
}

/**
 * Kills the first run at its first request, the second at its second one, and so on, until a run
 * ends by itself. After each restart the clearing account has to hold the counts of all runs.
 *
 * @param when the request is lost, or its answer
 */
export async function killAtEachRequest(
  made: Scene,
  when: 'before' | 'after',
  { prepare, run, restart }: KilledProgram,
): Promise<void> {
  let expected = 0n
  let steps = 0
  for (let isKilled = true; isKilled;) {
    steps++
    const name = `${when} ${steps}`
    const program = await prepare(name)
    const ending = new AbortController()
    const { signal } = ending
    const bank = publishedClient(made.send, program.token, (now, step) => {
      if (now === when && step === steps) ending.abort(new Killed())
      if (signal.aborted) throw new Killed()
    })
    isKilled = await run(bank, name, signal).then(
      () => false,
      (thrown) => signal.aborted || Promise.reject(thrown),
    )
    const [counted] = await restart(publishedClient(made.send, program.token), name)
    expected += money.parse(counted?.clearing ?? '0.00', 'EUR')
    assert.equal(await readClearing(made), money.format(expected, 'EUR'), `step ${steps}`)
  }
  assert.ok(steps > 9, `${steps} steps`)
  await assertSound(made)
}
