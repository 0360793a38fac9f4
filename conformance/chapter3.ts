// Chapter 3: sessions, limits and the states of resources.
import {
  type Bank,
  type Check,
  expect,
  expectStatus,
  fill,
  type Login,
  refused,
  Skip,
  sleep,
} from './bank.ts'
import { limited } from './limited.ts'

/** A request that any live session of the customer is answered. */
const read = ({ client, ada, settings: { routes } }: Bank, token: string) =>
  client.ask('GET', fill(routes.details, ada.account), { token })

const isAlive = async (bank: Bank, token: string): Promise<boolean> =>
  (await read(bank, token)).status === 200

/** Leaves the clause out when it is not to be waited for. */
export function requireWait({ isQuick, settings }: Bank, seconds: number, what: string): void {
  if (seconds === 0) throw new Skip(`no value is given for ${what}`)
  if (isQuick) throw new Skip('takes time; --quick was given')
  if (seconds > settings.waitMax) throw new Skip(`takes ${seconds} s, more than --wait-max`)
}

/** The session has ended: neither its token nor its refresh token is good. */
async function expectEnded(bank: Bank, { token, refreshToken }: Login): Promise<void> {
  expectStatus(await read(bank, token), [401], 'the token')
  if (refreshToken === '') return
  const asked = { body: { refreshToken } }
  expectStatus(
    await bank.client.ask('POST', bank.settings.routes.refresh, asked),
    refused,
    'refresh',
  )
}

export const chapter3 = {
  '3-logout': async (bank) => {
    const { token } = await bank.ada.login()
    expect(await isAlive(bank, token), 'a new session is not alive')
    const logout = await bank.client.ask('POST', bank.settings.routes.logout, { token })
    expectStatus(logout, [200, 204], 'logout')
    expectStatus(await read(bank, token), [401], 'the token after the logout')
  },

  '3-admin-revoke': async (bank) => {
    const { token, sessionId } = await bank.ada.login()
    expect(await isAlive(bank, token), 'a new session is not alive')
    const path = fill(bank.settings.routes.session, sessionId)
    expectStatus(await bank.root.ask('DELETE', path), [200, 204], 'the revocation')
    expectStatus(await read(bank, token), [401], 'the token after the revocation')
  },

  '3-absolute': async (bank) => {
    const { sessionMax, tokenTtl } = bank.settings
    requireWait(bank, sessionMax, 'session-max')
    const login = await bank.ada.login()
    const end = Date.now() + sessionMax * 1000
    let current = login
    while (Date.now() < end) {
      await sleep(Math.min(tokenTtl, bank.settings.sessionIdle || tokenTtl) / 3)
      const asked = { body: { refreshToken: current.refreshToken } }
      const { body } = await bank.client.ask('POST', bank.settings.routes.refresh, asked)
      if (typeof body?.token === 'string') current = { ...current, ...body }
    }
    await sleep(0.1)
    await expectEnded(bank, current)
  },

  '3-idle': async (bank) => {
    const { sessionIdle } = bank.settings
    requireWait(bank, sessionIdle, 'session-idle')
    const login = await bank.ada.login()
    expect(await isAlive(bank, login.token), 'a new session is not alive')
    await sleep(sessionIdle + 0.1)
    await expectEnded(bank, login)
  },

  '3-limited': async (bank) => {
    const reply = await limited(bank)
    expect(reply, `${bank.settings.burstTries} reads at once were all admitted`)
    expect(reply.headers['retry-after'], 'the 429 has no Retry-After')
  },

  '3-beneficiary-delete': async ({ ada, settings: { routes, fields } }) => {
    const added = await ada.ask('POST', fill(routes.addBeneficiary, ada.second), fields.beneficiary)
    const path = fill(routes.beneficiary, added.body?.[fields.id])
    expectStatus(await ada.ask('DELETE', path), [200, 204], 'DELETE')
    expectStatus(await ada.ask('GET', path), [403, 404, 410], 'GET after DELETE')
  },

  '3-beneficiary-deactivate': async ({ finn, settings: { routes, fields } }) => {
    const added = await finn.ask(
      'POST',
      fill(routes.addBeneficiary, finn.second),
      fields.beneficiary,
    )
    const path = fill(routes.beneficiary, added.body?.[fields.id])
    expectStatus(await finn.ask('POST', `${path}/deactivate`), [200, 204], 'deactivate')
    expectStatus(await finn.ask('GET', path), [200], 'GET after deactivate')
  },

  '3-card-freeze': async ({ ada, settings: { routes, fields } }) => {
    const cards = [0, 1].map(async () => ada.ask('POST', fill(routes.addCard, ada.account), {}))
    const [one = '', other = ''] = (await Promise.all(cards)).map(({ body }) => body?.[fields.id])
    const frozen = await ada.ask('POST', `${fill(routes.card, one)}/freeze`)
    const updated = await ada.ask('PUT', fill(routes.card, other), { status: 'frozen' })
    expectStatus(frozen, [200], 'freeze')
    expectStatus(updated, [200], 'PUT')
    const [left, right] = await Promise.all(
      [one, other].map(async (id) => (await ada.ask('GET', fill(routes.card, id))).body),
    )
    expect(left?.status === 'frozen', `the status after freeze is ${left?.status}`)
    // Frozen one after the other, they may tell two times.
    const seen = (value: unknown) => (/^\d{4}-\d\d-\d\dT/.test(String(value)) ? 'a time' : value)
    const differing = Object.keys(left).filter(
      (key) => /status|froz|freez/i.test(key) && seen(left[key]) !== seen(right?.[key]),
    )
    expect(differing.length === 0, `the two cards differ in ${differing.join(', ')}`)
  },

  '3-account-freeze': async ({ ada, finn, root, payment, settings: { routes, fields } }) => {
    const path = fill(routes.freeze, finn.second)
    const body = { reason: fields.reason }
    expectStatus(await ada.ask('POST', path, body), refused, 'a customer who freezes')
    expectStatus(await root.ask('POST', path, body), [200, 204], 'an administrator who freezes')
    const { account, second } = finn
    const pay = payment({ ...finn, account: second, second: account }, '0.01')
    const reply = await finn.ask('POST', routes.transfers, pay)
    expect(reply.status >= 400 && reply.status < 500, `a frozen account pays: ${reply.status}`)
  },
} satisfies Record<string, Check>
