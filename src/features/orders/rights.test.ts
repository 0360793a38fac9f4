// A right that ended meanwhile, against the runs of standing orders: whoever holds the account or
// set the terms is judged again on the day, behind the lock of the account.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount, scene } from '../../../test/support/fixture.ts'
import { orderScene } from '../../../test/support/orders.ts'
import {
  newProgram,
  type Program,
  serviceAccountsPath,
  toGrants,
} from '../../../test/support/service-accounts.ts'
import { type ApiClient, people, world } from '../../../test/support/world.ts'

type Holder = 'ada' | 'ben' | 'both'
type Made = { account: string; savings: string; order: string; root: ApiClient; ada: ApiClient }
type OfProgram = Made & { program: Program }
type Case<M> = [what: string, holder: Holder, end: (made: M) => Promise<unknown>, outcome: string]

const done = async (sent: ReturnType<ApiClient['post']>): Promise<void> => {
  const { status, text } = await sent
  assert.ok(status < 300, text)
}
const setUser = ({ root }: Made, name: Holder, change: object) =>
  done(root.patch(`/api/v1/admin/users/${people[name].id}`, change))
const grant = ({ program }: OfProgram, granted: Parameters<typeof toGrants>[0]) =>
  program.change({ grants: toGrants(granted) })
const nothing = async () => {}

const ofPeople: Case<Made>[] = [
  ['a holder that may pay', 'ada', nothing, 'made'],
  [
    'a holder whose session is over',
    'ada',
    ({ ada }) => done(ada.post('/api/v1/auth/logout')),
    'made',
  ],
  [
    'a holder that is disabled',
    'ben',
    (made) => setUser(made, 'ben', { status: 'disabled' }),
    'forbidden',
  ],
  [
    'a holder that is no customer any more',
    'both',
    (made) => setUser(made, 'both', { roles: ['support-agent'] }),
    'forbidden',
  ],
  [
    'a frozen account',
    'ada',
    ({ root, account }) =>
      done(root.post(`/api/v1/admin/accounts/${account}/freeze`, { reason: 'Asked' })),
    'account_frozen',
  ],
]

const ofPrograms: Case<OfProgram>[] = [
  ['a program that may pay', 'ada', nothing, 'made'],
  [
    'a disabled program',
    'ada',
    ({ program }) => program.change({ status: 'disabled' }),
    'forbidden',
  ],
  [
    'a program that may only read',
    'ada',
    (made) => grant(made, { readAccounts: people.ada.id }),
    'forbidden',
  ],
  [
    'a program that may pay from another account only',
    'ada',
    (made) => grant(made, { readAccounts: people.ada.id, payFrom: [made.savings] }),
    'forbidden',
  ],
  [
    'a program without a key that lives',
    'ada',
    ({ root, program: { id, keyId } }) =>
      done(root.delete(`${serviceAccountsPath}/${id}/keys/${keyId}`)),
    'forbidden',
  ],
  [
    'a program with one key of two',
    'ada',
    async ({ root, program: { id, keyId } }) => {
      await done(root.post(`${serviceAccountsPath}/${id}/keys`))
      await done(root.delete(`${serviceAccountsPath}/${id}/keys/${keyId}`))
    },
    'made',
  ],
  ['a program whose customer is disabled', 'ben', nothing, 'forbidden'],
  ['a program whose customer is none any more', 'both', nothing, 'forbidden'],
  [
    'a program that is disabled, when the holder has set the terms since',
    'ada',
    async ({ program, ada, order }) => {
      await done(ada.patch(`/api/v1/orders/${order}`, { reference: 'Mine' }))
      await program.change({ status: 'disabled' })
    },
    'made',
  ],
]

/** When the end of a program is, from the time of the runs. */
const ends: [what: string, afterMs: number, outcome: string][] = [
  ['one millisecond before its end', 1, 'made'],
  ['at its end', 0, 'forbidden'],
  ['one millisecond after its end', -1, 'forbidden'],
]

test('each run is made or refused as its holder, its program and the account of that day may', async (t) => {
  const bank = await world(t)
  const { clock, running } = bank
  const runsAt = clock.now() + 120_000
  const root = await bank.as('root')
  const rows: { account: string; what: string; outcome: string }[] = []
  const endings: (() => Promise<unknown>)[] = []

  async function open(holder: Holder) {
    const ada = await bank.login(holder)
    const [account, savings] = [await openAccount(ada), await openAccount(ada)]
    await deposit(root, account, '10.00')
    return { ada, root, account, savings }
  }
  async function order(
    voice: Pick<ApiClient, 'post'>,
    { account, savings }: { account: string; savings: string },
  ) {
    const terms = { toAccountId: savings, amount: '1.00', currency: 'EUR', reference: 'Rent' }
    const days = { rhythm: 'weekly', firstOn: '2026-01-02' }
    const made = await voice.post(`/api/v1/accounts/${account}/orders`, { ...terms, ...days })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  async function ofProgram(holder: Holder, more: object = {}) {
    const made = await open(holder)
    const granted = { readAccounts: people[holder].id, payFrom: [made.account] }
    const program = await newProgram(bank, granted, more)
    return { ...made, program, order: await order(program, made) }
  }

  for (const [what, holder, end, outcome] of ofPeople) {
    const made = await open(holder)
    const whole = { ...made, order: await order(made.ada, made) }
    rows.push({ account: made.account, what, outcome })
    endings.push(() => end(whole))
  }
  for (const [what, holder, end, outcome] of ofPrograms) {
    const made = await ofProgram(holder)
    rows.push({ account: made.account, what, outcome })
    endings.push(() => end(made))
  }
  for (const [what, afterMs, outcome] of ends) {
    const { account } = await ofProgram('ada', {
      expiresAt: new Date(runsAt + afterMs).toISOString(),
    })
    rows.push({ account, what, outcome })
  }
  for (const end of endings) await end()
  clock.advance(runsAt - clock.now())
  await running.core.orders.work()
  const found = await bank.sql(
    `select o.account_id as account, coalesce(r.refusal, r.outcome) as outcome,
       o.status || ' ' || o.next_on as next
     from standing_orders o join standing_order_runs r on r.order_id = o.id`,
  )
  const byAccount = new Map(found.rows.map((row) => [row['account'], row]))
  assert.deepEqual(
    rows.map(({ account, what }) => [what, byAccount.get(account)?.['outcome']]),
    rows.map(({ what, outcome }) => [what, outcome]),
  )
  // A refusal ends no order: the right may come back before the next day.
  assert.deepEqual(new Set(found.rows.map(({ next }) => next)), new Set(['active 2026-01-09']))
})

/** Which changes by its holder make an order that another person has ordered the holder's own. */
const changes: [pausedBecause: string | null, verb: string, isOrderedAnew: boolean][] = [
  [null, 'pause', false],
  [null, 'skip-next', false],
  [null, 'resume', false],
  ['owner', 'resume', false],
  ['missed', 'resume', false],
  ['member', 'resume', true],
]
test('a holder orders anew what the end of a membership has paused, and no other order by a pause, a resume or a skip', async (t) => {
  const bank = await orderScene(await scene(t))
  const found: typeof changes = []
  for (const [pausedBecause, verb] of changes) {
    const id = await bank.make({ reference: `${pausedBecause} ${verb}` })
    await bank.sql(
      `update standing_orders set caller_id = $2, paused_because = $3,
         status = case when $3::text is null then 'active' else 'paused' end where id = $1`,
      [id, people.ben.id, pausedBecause],
    )
    await done(bank.ada().post(`/api/v1/orders/${id}/${verb}`))
    const { rows } = await bank.sql('select caller_id from standing_orders where id = $1', [id])
    const by = rows[0]?.['caller_id']
    assert.ok(by === people.ada.id || by === people.ben.id)
    found.push([pausedBecause, verb, by === people.ada.id])
  }
  assert.deepEqual(found, changes)
})
