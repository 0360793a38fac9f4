// The effect of a growing ledger: services with ten thousand stored transfers, a million and, with
// --large, ten million run side by side and are measured in turn.
import { toRequest, warmTokens } from './connection.ts'
import { runBeside } from './day.ts'
import type { Case, Settings, Variant } from './harness.ts'
import { load, type Templates } from './load.ts'
import { toReads } from './reads.ts'
import { choosePopulation, type Customer } from './seed.ts'
import { openService, type Service } from './service.ts'
import { store } from './store.ts'
import { uniform } from './transfers.ts'

export const chooseSizes = ({ isTiny, isLarge }: Settings): number[] =>
  isTiny ? [100] : [10_000, 1_000_000, ...(isLarge ? [10_000_000] : [])]

export const open: Case = async (settings) => {
  const sizes = chooseSizes(settings)
  const services: Service[] = []
  for (const size of sizes) services.push(await openFilled(size, settings.isTiny))
  return {
    variants: services.flatMap((service, at) => toVariants(service, at, sizes, settings.seconds)),
    async close() {
      for (const service of services) await service.stop()
    },
  }
}

async function openFilled(size: number, isTiny: boolean): Promise<Service> {
  const service = await openService({ population: choosePopulation(isTiny) })
  const { address, customers, target } = service
  await store(address, customers, size)
  // The statements of the first customer's accounts fill a page at every size.
  await store(address, customers.slice(0, 1), isTiny ? 50 : 4000)
  await warmTokens(target, customers)
  for (const templates of [uniform(customers), toReads('transactions, 20', customers)]) {
    await load(target, templates, 16, isTiny ? 0.1 : 1)
  }
  return service
}

function toVariants(
  { folder, target, customers, watch }: Service,
  at: number,
  sizes: readonly number[],
  seconds: number,
): Variant[] {
  const toName = (what: string, size = 0) => `${what}, ${size.toLocaleString('en')} stored`
  const variant = (
    what: string,
    { goal, ...rest }: Pick<Variant, 'main' | 'goal' | 'rounds' | 'measure'>,
  ): Variant => ({
    name: toName(what, sizes[at]),
    ...rest,
    ...(at > 0 && { against: [toName(what, sizes[0])], ...(goal && { goal }) }),
  })
  const send = (templates: Templates, count: number) => () =>
    watch(() => load(target, templates, count, seconds))
  return [
    variant('transfers, uniform, 64 connections', {
      main: 'perSecond',
      goal: { atLeast: 0.9 },
      measure: send(uniform(customers), 64),
    }),
    variant('history page, 16 connections', {
      main: 'p50Ms',
      goal: { atMost: 1.2 },
      measure: send(toReads('transactions, 20', customers), 16),
    }),
    variant('statement', { main: 'p50Ms', measure: send(toStatements(customers), 1) }),
    variant('verify', {
      main: 'microsecondsPerEntry',
      rounds: 1,
      measure: () => runBeside(folder, ['verify']),
    }),
  ]
}

function toStatements([customer]: readonly Customer[]): Templates {
  const { accounts, sessions } = customer as Customer
  const token = sessions[0]?.token ?? ''
  return accounts.map((id) => toRequest({ path: `/api/v1/accounts/${id}/statement`, token }))
}
