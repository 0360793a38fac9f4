// How fast the product answers questions, each with the check of its session and of its owner in
// the database, beside Fastify that only sends the same bytes.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { client } from '../test/support/client.ts'
import { type Bank, openBank } from './bank.ts'
import type { Answer, Told } from './baseline-fastify.ts'
import { withCost } from './cost.ts'
import type { Case, Variant } from './harness.ts'
import { load } from './load.ts'
import { type Plan, toRequest } from './plan.ts'
import { type Customer, standard, store } from './seed.ts'
import { greetAll } from './sockets.ts'

/** How each is asked for, of an account. */
const questions = {
  details: { pattern: '/api/v1/accounts/:id/details', query: '' },
  'transactions, 20': { pattern: '/api/v1/accounts/:id/transactions', query: '?limit=20' },
  'accounts list': { pattern: '/api/v1/accounts', query: '' },
} as const
type Question = keyof typeof questions
const asked = Object.keys(questions) as Question[]

const toPath = (question: Question, accountId: string): string => {
  const { pattern, query } = questions[question]
  return pattern.replace(':id', accountId) + query
}

export const open: Case = async ({ seconds, connections, profile, isTiny }) => {
  const population = isTiny ? { customers: 4, accountsEach: 3, sessionsEach: 2 } : standard
  const bank = await openBank({ population, profile })
  const { customers, target, address } = bank
  // Every account has its page full.
  await store(address, customers, isTiny ? 500 : 20_000)
  const bare = await startBare(bank)
  const plans = new Map(asked.map((question) => [question, toPlan(question, customers)]))
  const plan = (question: Question) => plans.get(question) as Plan
  await greetAll(target, customers)
  for (const question of asked) await load(target, plan(question), 16, isTiny ? 0.1 : 1)
  const bareTarget = { ...target, port: bare.port }
  const watchBare = (work: Variant['measure']) => withCost({ service: bare.pid }, work)
  const variants = connections.flatMap((count) =>
    asked.flatMap((question): Variant[] => {
      const name = (who: string) => `${who}, ${question}, ${count} connections`
      return [
        {
          name: name('bare Fastify'),
          main: 'perSecond',
          measure: () => watchBare(() => load(bareTarget, plan(question), count, seconds)),
        },
        {
          name: name('product'),
          main: 'perSecond',
          against: [name('bare Fastify')],
          goals: [
            { of: 'ratio', atLeast: 0.8 },
            { of: 'lagMilliseconds', atMost: 20 },
            { of: 'refusedPercent', atMost: 0 },
          ],
          measure: () => bank.watch(() => load(target, plan(question), count, seconds)),
        },
      ]
    }),
  )
  return {
    variants,
    async close() {
      bare.stop()
      await bank.stop()
    },
  }
}

/** Every session asks for each of its accounts. */
export const toPlan = (question: Question, customers: readonly Customer[]): Plan => ({
  templates: customers.flatMap(({ accounts, sessions }) =>
    sessions.flatMap(({ token }) =>
      accounts.map((id) => toRequest({ path: toPath(question, id), token })),
    ),
  ),
})

async function startBare({ folder, target, customers: [customer] }: Bank) {
  const { send, close } = client(target.port, target.ca)
  const { accounts, sessions } = customer as Customer
  const token = sessions[0]?.token ?? ''
  const answers: Answer[] = []
  for (const question of asked) {
    const { text, headers } = await send('GET', toPath(question, accounts[0] ?? ''), { token })
    const own = Object.entries(headers).filter(([name]) => !made.has(name)) as [string, string][]
    const { pattern } = questions[question]
    answers.push({ pattern, headers: Object.fromEntries(own), body: text })
  }
  close()
  const child = fork(fileURLToPath(new URL('./baseline-fastify.ts', import.meta.url)))
  const told: Told = {
    pem: path.join(folder, 'tls', 'server.secret.pem'),
    answers,
  }
  child.send(told)
  const [port] = (await once(child, 'message')) as [number]
  return { port, pid: child.pid as number, stop: () => child.disconnect() }
}

/** Node writes these itself. */
const made = new Set(['connection', 'keep-alive', 'date', 'content-length'])
