// What becomes of the service as its books grow: one bank with ten thousand stored transfers, one
// with a million and, when asked, one with ten million, side by side, measured in turn. Each
// grows a little more while it is measured.
import { openBank, type Bank } from './bank.ts'
import type { Case, Figures, Goal, Settings, Variant } from './harness.ts'
import { load } from './load.ts'
import { toRequest } from './plan.ts'
import { watchMemory, verifyBeside } from './processes.ts'
import { type Customer, standard, store } from './seed.ts'
import { toPlan } from './reads.ts'
import { connect, greetAll, pace } from './sockets.ts'
import { uniform } from './transfers.ts'

const chooseSizes = ({ isTiny, isLarge }: Settings): number[] => {
  if (isTiny) return [100]
  return isLarge ? [10_000, 1_000_000, 10_000_000] : [10_000, 1_000_000]
}

export const open: Case = async (settings) => {
  const sizes = chooseSizes(settings)
  const banks: Bank[] = []
  for (const size of sizes) banks.push(await grown(size, settings.isTiny))
  const smallest = sizes[0] as number
  return {
    variants: sizes.flatMap((size, at) =>
      toVariants(banks[at] as Bank, size, size === smallest ? undefined : smallest, settings),
    ),
    async close() {
      for (const bank of banks) await bank.stop()
    },
  }
}

async function grown(size: number, isTiny: boolean): Promise<Bank> {
  const population = isTiny ? { customers: 4, accountsEach: 3, sessionsEach: 2 } : standard
  const bank = await openBank({ population })
  await store(bank.address, bank.customers, size)
  // In every bank the first customer's accounts fill a page of a statement.
  await store(bank.address, bank.customers.slice(0, 1), isTiny ? 50 : 4000)
  await greetAll(bank.target, bank.customers)
  const warm = [uniform(bank.customers), toPlan('transactions, 20', bank.customers)]
  for (const plan of warm) await load(bank.target, plan, 16, isTiny ? 0.1 : 1)
  return bank
}

const named = (what: string, size: number) => `${what}, ${size.toLocaleString('en')} stored`

function toVariants(
  bank: Bank,
  size: number,
  smallest: number | undefined,
  { seconds }: Settings,
): Variant[] {
  const { target, customers } = bank
  const beside = (what: string, ...goals: Goal[]) =>
    smallest === undefined ? {} : { against: [named(what, smallest)], goals }
  return [
    {
      name: named('transfers, uniform, 64 connections', size),
      main: 'perSecond',
      ...beside('transfers, uniform, 64 connections', { of: 'ratio', atLeast: 0.9 }),
      measure: () => bank.watch(() => load(target, uniform(customers), 64, seconds)),
    },
    {
      name: named('history page, 16 connections', size),
      main: 'p50Milliseconds',
      ...beside('history page, 16 connections', { of: 'ratio', atMost: 1.2 }),
      measure: () =>
        bank.watch(() => load(target, toPlan('transactions, 20', customers), 16, seconds)),
    },
    {
      name: named('statement', size),
      main: 'microsecondsPerEntry',
      ...beside('statement'),
      measure: () => bank.watch(() => watchMemory(bank.pid, () => statements(bank, seconds / 2))),
    },
    {
      name: named('verify', size),
      main: 'microsecondsPerEntry',
      rounds: 1,
      ...beside('verify'),
      measure: () => verifyBeside(bank.folder),
    },
  ]
}

/** One after the other, a page each. */
async function statements({ target, customers }: Bank, seconds: number): Promise<Figures> {
  const { accounts, sessions } = customers[0] as Customer
  const token = sessions[0]?.token ?? ''
  const { ask, close } = await connect(target)
  const latencies: number[] = []
  let entries = 0
  const end = performance.now() + seconds * 1000
  for (let turn = 0; performance.now() < end; turn++) {
    const path = `/api/v1/accounts/${accounts[turn % accounts.length]}/statement`
    const started = performance.now()
    const answer = await ask(toRequest({ path, token }))
    latencies.push(performance.now() - started)
    if (!answer.startsWith('HTTP/1.1 200')) throw new Error(answer.slice(0, 500))
    entries += answer.split('"balanceAfter"').length - 1
  }
  close()
  const spent = latencies.reduce((sum, each) => sum + each, 0)
  return { ...pace(latencies, spent / 1000), microsecondsPerEntry: (spent * 1000) / entries }
}
