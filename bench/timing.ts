// What a stranger's stopwatch tells: whether those who are and those who are not get their answers
// in the same time, three hundred of each in turn; and how much longer an authenticated read takes
// beside a hundred logins under way.
import pg from 'pg'
import { client } from '../test/support/client.ts'
import { createPasswords } from '../src/features/auth/passwords.ts'
import { insertPeople } from '../test/support/database.ts'
import { createRandom } from '../test/support/random.ts'
import { interleave, median, type Samples } from '../test/support/timing.ts'
import { type Kinds, logins, resets } from '../test/support/indistinguishable.ts'
import { type Bank, openBank, wideLimits } from './bank.ts'
import type { Case, Figures, Variant } from './harness.ts'
import { toRequest } from './plan.ts'
import type { Customer } from './seed.ts'
import { connect, pace } from './sockets.ts'

const everyTry = {
  ...wideLimits,
  login: { failedPerAddress: '100000/1m', failedPerUsername: '100000/1m', attempts: '1000000/1h' },
  reset: { perEmail: '1000000/1h', perAddress: '1000000/1h' },
}

export const open: Case = async ({ isTiny, seconds }) => {
  const bank = await openBank({
    population: { customers: 2, accountsEach: 1, sessionsEach: 1 },
    settings: { LIMITS: JSON.stringify(everyTry) },
  })
  await invite(bank)
  const { send, close } = client(bank.target.port, bank.target.ca)
  const [own, other] = bank.customers as [Customer, Customer]
  const token = own.sessions[0]?.token ?? ''
  const account = (id: string) => () => send('GET', `/api/v1/accounts/${id}`, { token })
  const accounts: Kinds = {
    foreign: account(other.accounts[0] ?? ''),
    missing: account('01940000-0000-7000-8000-0000000000ff'),
  }
  const rounds = isTiny ? 3 : 300
  // A skipped hash is 30 to 50 ms; a statement more is 0.3 ms and up.
  const same = (name: string, kinds: Kinds, atMost: number): Variant => ({
    name: `maxBalance apart of ${Object.keys(kinds).join(', ')}: ${name}`,
    main: 'milliseconds',
    goals: [{ of: 'milliseconds', atMost }],
    measure: async () => apart(await interleave(kinds, rounds, createRandom(rounds))),
  })
  return {
    variants: [
      same('login', logins({ send }), 10),
      same('password reset', resets({ send }), 0.5),
      same('an account', accounts, 0.3),
      {
        name: 'how much longer the 99th of a hundred reads takes beside 100 logins',
        main: 'milliseconds',
        goals: [{ of: 'milliseconds', atMost: 50 }],
        measure: () => delay(bank, seconds),
      },
    ],
    async close() {
      close()
      await bank.stop()
    },
  }
}

/** The people of the tests, of whom one is disabled and one invited. */
async function invite({ address }: Bank): Promise<void> {
  await insertPeople(address, await createPasswords())
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  await owner.query(`update users set status = 'disabled' where username = 'ben'`)
  await owner.query(
    `update users set password_hash = null, username = 'ivy' where username = 'both'`,
  )
  await owner.end()
}

/**
 * By the quick quarter of each kind: what waits for the machine is slow in all of them, what waits
 * for a hash or a statement more is never quick.
 */
function apart(samples: Samples): Figures {
  const quick = Object.values(samples).map((times) => {
    return times.toSorted((one, other) => one - other)[times.length >> 2] ?? Number.NaN
  })
  return {
    milliseconds: Math.max(...quick) - Math.min(...quick),
    p50Milliseconds: Math.min(...Object.values(samples).map(median)),
  }
}

async function delay({ target, customers }: Bank, seconds: number): Promise<Figures> {
  const [{ accounts, sessions }] = customers as [Customer]
  const path = `/api/v1/accounts/${accounts[0]}`
  const reader = await connect(target)
  const read = async () => {
    const times: number[] = []
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      const started = performance.now()
      await reader.ask(toRequest({ path, token: sessions[0]?.token ?? '' }))
      times.push(performance.now() - started)
      // A person, not a load: what waits is the reading, not the reader.
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return pace(times, seconds)
  }
  const alone = await read()
  const over = new AbortController()
  const people = await Promise.all(Array.from({ length: 100 }, () => connect(target)))
  const body = { username: 'ada', password: 'seven fat kine in a barn' }
  const attempts = people.map(async ({ ask, close }) => {
    while (!over.signal.aborted)
      await ask(toRequest({ method: 'POST', path: '/api/v1/auth/login', body }))
    close()
  })
  const beside = await read()
  over.abort()
  await Promise.all(attempts)
  reader.close()
  const milliseconds = (beside.p99Milliseconds ?? 0) - (alone.p99Milliseconds ?? 0)
  return { ...beside, milliseconds }
}
