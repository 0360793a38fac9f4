// What customers notice of strangers who guess passwords: how long reads take beside two hundred
// of them, each from an address of its own. Once under the default limits, which turn the
// guessers away after a few tries, and once with the limits of the login so wide that every guess
// is hashed.
import { type Bank, openBank, wideLimits } from './bank.ts'
import type { Case, Figures, Variant } from './harness.ts'
import { load } from './load.ts'
import { toRequest } from './plan.ts'
import { standard } from './seed.ts'
import { toPlan } from './reads.ts'
import { connect, greetAll } from './sockets.ts'

const everyGuess = {
  ...wideLimits,
  login: {
    failedPerAddress: '100000/1m',
    failedPerUsername: '100000/1m',
    attempts: '1000000/1h',
  },
}

export const open: Case = async ({ seconds, isTiny }) => {
  const population = isTiny ? { customers: 4, accountsEach: 3, sessionsEach: 2 } : standard
  const guessers = isTiny ? 4 : 200
  const limited = await openBank({ population })
  const unlimited = await openBank({
    population,
    settings: { LIMITS: JSON.stringify(everyGuess) },
  })
  const read = ({ target, customers }: Bank) =>
    load(target, toPlan('details', customers), 16, seconds)
  for (const bank of [limited, unlimited]) {
    await greetAll(bank.target, bank.customers)
    await read(bank)
  }
  const variant = (name: string, bank: Bank, count: number): Variant => ({
    name: count === 0 ? name : `${name}, ${count} guess`,
    main: 'p99Milliseconds',
    ...(count > 0 && { against: ['details alone, 16 connections'] }),
    measure: () => bank.watch(() => beside(bank, count, () => read(bank))),
  })
  return {
    variants: [
      variant('details alone, 16 connections', limited, 0),
      variant('details, default limits', limited, guessers),
      variant('details, every guess hashed', unlimited, guessers),
    ],
    async close() {
      await limited.stop()
      await unlimited.stop()
    },
  }
}

/** The guessers run in this process; what they cost counts as load. */
async function beside(
  { target }: Bank,
  guessers: number,
  work: () => Promise<Figures>,
): Promise<Figures> {
  const over = new AbortController()
  const connections = await Promise.all(
    Array.from({ length: guessers }, (_, at) => connect(target, `127.0.7.${at + 1}`)),
  )
  const guessing = connections.map(async ({ ask, close }, at) => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const body = { username: `customer-${at}`, password: `wrong guess ${turn} of ${at}` }
      await ask(toRequest({ method: 'POST', path: '/api/v1/auth/login', body }))
      // A person's program, not a hammer: ten guesses a second each.
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    close()
  })
  try {
    return await work()
  } finally {
    over.abort()
    await Promise.all(guessing)
  }
}
