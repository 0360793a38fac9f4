// Reads per second: each with the check of its session and of its owner in the database, beside
// Fastify that only sends the same bytes.
import { client } from '../test/support/client.ts'
import { type CannedResponse, plainDetails, startFastify } from './baseline-fastify.ts'
import { toRequest, warmTokens } from './connection.ts'
import type { Case, Variant } from './harness.ts'
import { load, type Templates, warmUpSeconds } from './load.ts'
import { withCost } from './processes.ts'
import { openCrowds } from './crowds.ts'
import { asPrograms, type Customer, choosePopulation, withPairs } from './seed.ts'
import { addInstance, openService, type Service } from './service.ts'
import { store } from './store.ts'

const reads = {
  details: { pattern: '/api/v1/accounts/:id/details', query: '' },
  'transactions, 20': { pattern: '/api/v1/accounts/:id/transactions', query: '?limit=20' },
  'accounts list': { pattern: '/api/v1/accounts', query: '' },
  account: { pattern: '/api/v1/accounts/:id', query: '' },
} as const
type Read = keyof typeof reads
const names = Object.keys(reads) as Read[]

const toPath = (read: Read, accountId: string): string =>
  reads[read].pattern.replace(':id', accountId) + reads[read].query

/** Every session reads each of its accounts. */
export const toReads = (read: Read, customers: readonly Customer[]): Templates =>
  customers.flatMap(({ accounts, sessions }) =>
    sessions.flatMap(({ token }) =>
      accounts.map((id) => toRequest({ path: toPath(read, id), token })),
    ),
  )

export const open: Case = async (settings) => {
  const { seconds, connections, profile, isTiny } = settings
  const service = await openService({ population: choosePopulation(isTiny), profile })
  const { customers, target } = service
  // Fills a page of transactions for every account.
  await store(service.address, customers, isTiny ? 500 : 20_000)
  const fastify = await startFastify(service, await record(service))
  await warmTokens(target, customers)
  const templates = new Map(names.map((read) => [read, toReads(read, customers)]))
  const send = (port: number, read: Read, count: number, duration: number) =>
    load({ ...target, port }, templates.get(read) ?? [], count, duration)
  for (const read of names) await send(target.port, read, 64, isTiny ? 0.1 : warmUpSeconds / 2)
  const variants = connections.flatMap((count) =>
    names.flatMap((read): Variant[] => {
      const baseline = `bare Fastify, ${read}, ${count} connections`
      const measureFastify = () => send(fastify.port, read, count, seconds)
      const measureService = () => send(target.port, read, count, seconds)
      return [
        {
          name: baseline,
          main: 'perSecond',
          measure: () => withCost({ service: fastify.pid }, measureFastify),
        },
        {
          name: `product, ${read}, ${count} connections`,
          main: 'perSecond',
          against: [baseline],
          goal: { atLeast: 0.8 },
          measure: () => service.watch(measureService),
        },
      ]
    }),
  )
  const programs = toReads('account', await asPrograms(service.address, customers))
  const plain = customers.flatMap(({ accounts }) =>
    accounts.map((id) => toRequest({ path: plainDetails.replace(':id', id), token: '' })),
  )
  const toPlain = { ...target, port: fastify.port }
  const processes = { service: fastify.pid, database: service.databasePid }
  const comparison = connections.flatMap((count): Variant[] => [
    {
      name: `product, account by a service account, ${count} connections`,
      main: 'perSecond',
      against: [`product, account, ${count} connections`],
      goal: { atLeast: 1 },
      measure: () => service.watch(() => load(target, programs, count, seconds)),
    },
    {
      name: `plain Fastify and pg, details, ${count} connections`,
      main: 'perSecond',
      against: [`product, details, ${count} connections`],
      goal: { atMost: 0.83 },
      measure: () => withCost(processes, () => load(toPlain, plain, count, seconds)),
    },
  ])
  const guard = await openGuard(service, settings, templates.get('account') ?? [])
  const crowds = await openCrowds(settings, 'product, details', (crowd) =>
    toReads('details', withPairs(crowd)),
  )
  return {
    variants: [...variants, ...comparison, ...guard.variants, ...crowds.variants],
    async close() {
      fastify.stop()
      await guard.close()
      await crowds.close()
      await service.stop()
    },
  }
}

/**
 * The guard of members by two instances that differ in that alone. A read by the owner costs 1 µs
 * more at most, of about 100 µs of processor time.
 */
async function openGuard(
  service: Service,
  { seconds, connections, profile, isTiny }: Parameters<Case>[0],
  templates: Templates,
): Promise<{ variants: Variant[]; close(): Promise<void> }> {
  const open = (MEMBERS: string) =>
    addInstance(service, { name: `members-${MEMBERS}`, given: { MEMBERS }, profile })
  const instances = { off: await open('off'), on: await open('on') }
  for (const { target } of Object.values(instances)) {
    await warmTokens(target, service.customers)
    await load(target, templates, 64, isTiny ? 0.1 : warmUpSeconds / 2)
  }
  const nameOf = (members: string, count: number) =>
    `account, members ${members}, ${count} connections`
  const variantOf = (members: 'off' | 'on', count: number): Variant => ({
    name: nameOf(members, count),
    main: 'perSecond',
    ...(members === 'on' && { against: [nameOf('off', count)], goal: { atLeast: 0.99 } }),
    measure: () =>
      withCost({ service: instances[members].pid, database: service.databasePid }, () =>
        load(instances[members].target, templates, count, seconds),
      ),
  })
  return {
    variants: connections.flatMap((count) => [variantOf('off', count), variantOf('on', count)]),
    async close() {
      for (const { stop } of Object.values(instances)) await stop()
    },
  }
}

/** Written by Node.js itself. */
const generatedFields = new Set(['connection', 'keep-alive', 'date', 'content-length'])

/** What the service answers to each read. */
async function record({ target, customers: [customer] }: Service): Promise<CannedResponse[]> {
  const { send, close } = client(target.port, target.ca)
  const { accounts, sessions } = customer as Customer
  const token = sessions[0]?.token ?? ''
  const responses: CannedResponse[] = []
  for (const read of names) {
    const { text, headers } = await send('GET', toPath(read, accounts[0] ?? ''), { token })
    const fields = Object.entries(headers).filter(([name]) => !generatedFields.has(name))
    responses.push({
      pattern: reads[read].pattern,
      headers: Object.fromEntries(fields as [string, string][]),
      body: text,
    })
  }
  close()
  return responses
}
