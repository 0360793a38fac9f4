// Chapters 8 and 9: limits, races and versions. What locks people out comes last.
import { randomUUID } from 'node:crypto'
import {
  type Bank,
  type Check,
  expect,
  expectStatus,
  fill,
  findItems,
  type Reply,
  Skip,
  sleep,
} from './bank.ts'
import { requireWait } from './chapter3.ts'
import { burst } from './limited.ts'

const admitted = (replies: readonly Reply[]): number =>
  replies.filter(({ status }) => status !== 429).length

const failedLogin = ({ client, settings: { routes } }: Bank, username: string) =>
  client.send('POST', routes.login, { body: { username, password: randomUUID() } })

/** A short limit of the address is waited for, the hour of the e-mail address is not. */
const reset = ({ client, settings: { routes } }: Bank, email: string) =>
  client.ask('POST', routes.reset, { body: { email } }, 2)

/** Waits until a burst of the clauses before is forgotten. */
const calm = ({ client, settings: { routes } }: Bank) => client.ask('GET', routes.accounts)

const newEmail = (): string => `${randomUUID()}@conformance.example`

/** `10/1` → 10 requests in 1 second. */
function parseWindow(text: string): { count: number; seconds: number } {
  const [count = 0, seconds = 0] = text.split('/').map(Number)
  return { count, seconds }
}

export const chapter8 = {
  '8.3-page': async ({ ada, payment, settings: { routes, pageMax } }) => {
    if (pageMax > 20) throw new Skip('needs a small maximum page size, set and given as --page-max')
    for (let turn = 0; turn <= pageMax; turn++) {
      await ada.ask('POST', routes.transfers, payment(ada, '0.01'))
    }
    const path = fill(routes.transactions, ada.account)
    for (const [limit, wanted] of [
      [1, 1],
      [pageMax * 1000, pageMax],
    ] as const) {
      const reply = await ada.ask('GET', `${path}?limit=${limit}`)
      expectStatus(reply, [200], `a limit of ${limit}`)
      const { length } = findItems(reply)
      expect(length === wanted, `a limit of ${limit} gives ${length}, not ${wanted}`)
    }
  },

  '8.4-race': async ({ client, ben, payment, settings: { routes, fields } }) => {
    const token = await ben.token()
    const balance = async () => {
      const { body } = await ben.ask('GET', fill(routes.account, ben.account))
      return Math.round(Number(body?.[fields.balance]) * 100)
    }
    const before = await balance()
    const body = payment(ben, '5.00')
    const send = () => client.send('POST', routes.transfers, { token, body })
    const replies = await Promise.all(Array.from({ length: 4 }, send))
    const made = replies.filter(({ status }) => status < 300)
    const ids = new Set(made.map((reply) => reply.body?.[fields.id] as unknown))
    const moved = before - (await balance())
    expect(
      ids.size <= 1 && moved <= 500,
      `${ids.size} transfers of 5.00 moved ${moved} minor units`,
    )
    expect(moved === 500, 'none of the simultaneous transfers took effect')
  },

  '8-tighter': async ({ client, finn, payment, settings: { routes, burstTries } }) => {
    const token = await finn.token()
    const path = fill(routes.account, finn.account)
    const count = Math.min(burstTries, 60)
    const reads = await Promise.all(
      Array.from({ length: count }, () => client.send('GET', path, { token })),
    )
    const pay = () => {
      const body = payment(finn, '0.01')
      return client.send('POST', routes.transfers, { token, body })
    }
    const paid = await Promise.all(Array.from({ length: count }, pay))
    const [read, written] = [admitted(reads), admitted(paid)]
    expect(written < read, `at once ${read} reads and ${written} transfers were admitted`)
  },

  '8.1-windows': async (bank) => {
    const { client, newPerson, settings } = bank
    if (settings.readBurst === '' || settings.readSustained === '') {
      throw new Skip('no --read-burst and --read-sustained were given')
    }
    const [short, long] = [parseWindow(settings.readBurst), parseWindow(settings.readSustained)]
    requireWait(bank, Math.ceil(long.count / short.count) * short.seconds, 'read-sustained')
    const { person } = await newPerson(['customer'])
    const path = settings.routes.accounts
    const reads = async (count: number) => {
      const token = await person.token()
      return admitted(await burst(count, () => client.send('GET', path, { token })))
    }
    let count = await reads(short.count + 1)
    expect(count === short.count, `the burst limit admitted ${count}`)
    while (count < long.count) {
      await sleep(short.seconds + 0.1)
      const room = Math.min(short.count, long.count - count)
      const more = await reads(room)
      expect(more === room, `after ${count} reads ${more} of ${room} were admitted`)
      count += more
    }
    await sleep(short.seconds + 0.1)
    expect(
      (await reads(1)) === 0,
      `${count + 1} reads at a pace below the burst limit were admitted`,
    )
  },

  '8-reset': async (bank) => {
    const email = newEmail()
    for (let turn = 1; turn <= bank.settings.resets; turn++) {
      const reply = await reset(bank, email)
      expect(reply.status < 300, `reset ${turn} is answered ${reply.status}`)
    }
    expectStatus(await reset(bank, email), [429], `reset ${bank.settings.resets + 1}`)
  },

  '8-reset-scope': async (bank) => {
    const [one, other] = [newEmail(), newEmail()]
    for (let turn = 0; turn <= bank.settings.resets; turn++) await reset(bank, one)
    const reply = await reset(bank, other)
    expect(reply.status < 300, `another e-mail address is answered ${reply.status}`)
  },

  '8-endpoints': async (bank) => {
    const { ada, root, client, settings } = bank
    const { routes, burstTries } = settings
    const own = [
      fill(routes.account, ada.account),
      fill(routes.details, ada.account),
      fill(routes.transactions, ada.account),
      fill(routes.nested, ada.account, ada.beneficiary),
      fill(routes.beneficiary, ada.beneficiary),
      fill(routes.card, ada.card),
    ]
    const tokens = [await ada.token(), await root.token()]
    const all = [...own, fill(routes.settings, ada.account), routes.users]
    for (const [index, path] of all.entries()) {
      const token = tokens[index < own.length ? 0 : 1]
      const replies = await burst(burstTries, () => client.send('GET', path, { token }))
      expect(admitted(replies) < burstTries, `${burstTries} GET ${path} at once were all admitted`)
    }
  },

  '8-login-address': async (bank) => {
    const { loginFailures } = bank.settings
    await calm(bank)
    let isStopped = false
    for (let turn = 0; turn <= loginFailures && !isStopped; turn++) {
      isStopped = (await failedLogin(bank, `n-${randomUUID().slice(0, 8)}`)).status === 429
    }
    expect(isStopped, `${loginFailures + 1} failures under changing names were admitted`)
  },

  '8-login': async (bank) => {
    const { loginFailures, loginWindow } = bank.settings
    requireWait(bank, loginWindow, 'login-window')
    await sleep(loginWindow + 0.2)
    await calm(bank)
    const username = `n-${randomUUID().slice(0, 8)}`
    for (let turn = 1; turn <= loginFailures; turn++) {
      const { status } = await failedLogin(bank, username)
      expect(status !== 429, `failed login ${turn} is answered 429`)
    }
    const reply = await failedLogin(bank, username)
    expectStatus(reply, [429], `failed login ${loginFailures + 1}`)
    expect(reply.headers['retry-after'], 'the 429 has no Retry-After')
  },

  '9.1-version': async ({ client, settings: { routes } }) => {
    const path = routes.login.replace('/v1/', '/v2/')
    const body = { username: 'x', password: 'y' }
    const { status } = await client.ask('POST', path, { body })
    expect(status === 404 || status === 410, `version 2 is answered ${status}`)
  },

  '9.2-changes': async () => {
    throw new Skip('is about changes; run this kit after each one')
  },
} satisfies Record<string, Check>
