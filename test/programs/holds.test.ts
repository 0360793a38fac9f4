// Steps of a hold, and the service is killed among them: after a restart there is an order in which
// the model gives the same answers and the same end, and the books are sound.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { client, patiently, type Reply } from '../support/client.ts'
import { newFolder } from '../support/embedded.ts'
import { answerOf, heldAccount, type Voices } from '../support/held-account.ts'
import { isPossible, type Model, type Observed, type Step, take } from '../support/hold-model.ts'
import { wide } from '../support/limits.ts'
import { freePort, run } from '../support/program.ts'
import { clientWith } from '../support/world.ts'

const password = 'a heron that waits by the weir'

async function serve(t: TestContext, settings: Record<string, string>) {
  const bank = run([], settings)
  t.after(() => bank.child.kill('SIGKILL'))
  await bank.says(/Strongroom is ready/)
  const ca = await readFile(join(settings['DATA_DIR'] as string, 'tls/ca.pem'))
  const { send, close } = client(Number(settings['HTTPS_PORT']), ca)
  t.after(close)
  const login = async (username: string) => {
    const asked = { body: { username, password } }
    const { body } = await patiently(() => send('POST', '/api/v1/auth/login', asked))
    return clientWith(send, body.token as string)
  }
  return { bank, login }
}

const steps: readonly Step[] = [
  { do: 'capture', which: 0, amount: 2, isFinal: false },
  { do: 'capture', which: 0, amount: 1, isFinal: true },
  { do: 'change', which: 0, amount: 5 },
  { do: 'release', which: 0 },
  { do: 'transfer', amount: 2 },
  { do: 'hold', kind: 'seizure', amount: 2, lastsMs: Infinity },
]

test('a kill among steps of a hold leaves each taken once or not at all, as it is answered', async (t) => {
  const settings = {
    DATA_DIR: await newFolder(t),
    HTTPS_PORT: String(await freePort()),
    HTTP_PORT: '0',
    METRICS_PORT: '0',
    ADMIN_PASSWORD: password,
    LIMITS: wide,
    PORTAL: 'off',
  }
  let { bank, login } = await serve(t, settings)
  let root = await login('admin')
  const names = { givenName: 'Ada', familyName: 'Lovelace', email: 'ada@example.com' }
  const user = { ...names, username: 'ada', password, roles: ['customer'] }
  const ownerId = (await root.post('/api/v1/admin/users', user)).body.id as string
  const open = async () =>
    (await root.post('/api/v1/accounts', { currency: 'EUR', ownerId })).body.id as string
  const to = await open()
  for (const killAfterMs of [5, 20, 60]) {
    const voices: Voices = { ada: await login('ada'), root }
    const id = await open()
    const of = heldAccount({ clock: { now: () => Date.now() } as never }, voices, { id, to })
    const model: Model = { now: 0, balance: 0, overdraft: 0, status: 'active', holds: [] }
    const begin: readonly Step[] = [
      { do: 'deposit', amount: 6 },
      { do: 'hold', kind: 'authorization', amount: 4, lastsMs: 3_600_000 },
    ]
    for (const step of begin) assert.equal(answerOf(await of.send(step)), take(model, step))
    const first = steps.map((step, index) =>
      of.send(step, voices, `${killAfterMs}-${index}`).catch(() => undefined),
    )
    await sleep(killAfterMs)
    bank.child.kill('SIGKILL')
    const early = await Promise.all(first)
    await bank.ended
    ;({ bank, login } = await serve(t, settings))
    root = await login('admin')
    const again: Voices = { ada: await login('ada'), root }
    const observed: Observed[] = []
    for (const [index, step] of steps.entries()) {
      const reply = await patiently(() => of.send(step, again, `${killAfterMs}-${index}`))
      const told = early[index]
      if (told !== undefined && told.status !== 503) assertSame(reply, told)
      observed.push({ step, answer: answerOf(reply) })
    }
    const account = (await root.get(`/api/v1/accounts/${id}`)).body
    const holds = (await root.get(`/api/v1/accounts/${id}/holds`)).body.items as ShownHold[]
    const isEnd = (end: Model): boolean => isShown(end, account, holds.toReversed())
    assert.ok(isPossible(model, observed, isEnd), JSON.stringify({ observed, account, holds }))
  }
  bank.child.kill('SIGTERM')
  assert.equal(await bank.ended, 0)
  const verified = run(['verify'], { DATA_DIR: settings.DATA_DIR })
  assert.equal(await verified.ended, 0, verified.err())
})

type ShownHold = { id: string; amount: string; captured: string; status: string }

/** A repeat shows the same thing, as it is now. */
const assertSame = (reply: Reply, told: Reply): void =>
  assert.deepEqual(
    [reply.status, reply.body.code, reply.body.id],
    [told.status, told.body.code, told.body.id],
  )

const isShown = (model: Model, account: Reply['body'], holds: readonly ShownHold[]): boolean =>
  Number(account.balance) === model.balance &&
  holds.length === model.holds.length &&
  model.holds.every(({ amount, captured, status }, index) => {
    const shown = holds[index]
    return (
      Number(shown?.amount) === amount &&
      Number(shown?.captured) === captured &&
      shown?.status === status
    )
  })
