// Payments to other banks as staff send, settle and return them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertSound, readBalance } from '../../test/support/fixture.ts'
import { wide } from '../../test/support/limits.ts'
import type { World } from '../../test/support/world.ts'
import { texts } from '../../languages/en/portal/operations.ts'
import { pay, type Paid, readRows } from './clearing-support.ts'
import { assertAccessibleEverywhere, loseAnswer, visit } from './support.ts'

/** Three requests in any second, so that a run over five has to wait. */
const requestsPerSecond = 3

const limits = JSON.stringify({
  ...(JSON.parse(wide) as object),
  transfer: { burst: `${requestsPerSecond}/1s`, sustained: '1000/1h' },
})

const readStatus = async (bank: World, { id }: Pick<Paid, 'id'>): Promise<string> =>
  (await (await bank.as('root')).get(`/api/v1/transfers/${id}`)).body.status as string

const choose = (page: Page, { amount }: Paid) =>
  page.getByRole('checkbox', { name: `, Invoice ${amount}` }).check()

/**
 * Has the page note, for each 429 to a POST, the milliseconds from its arrival to the next POST:
 * both by the clock of the script, for the times of the network are stamped by another process.
 */
const noteWaits = (page: Page) =>
  page.evaluate(() => {
    const waits: number[] = []
    let refusedAt: number | undefined
    const { fetch } = globalThis
    globalThis.fetch = async (...request) => {
      const isPost = request[1]?.method === 'POST'
      if (isPost && refusedAt !== undefined) waits.push(performance.now() - refusedAt)
      if (isPost) refusedAt = undefined
      const answer = await fetch(...request)
      if (isPost && answer.status === 429) refusedAt = performance.now()
      return answer
    }
    Object.assign(globalThis, { waits })
  })

const readWaits = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { waits: number[] }).waits)

test('payments to other banks are settled and returned together, each with its own result', async (t) => {
  const visiting = await visit(t, { settings: { LIMITS: limits }, refusals: [409, 429] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const amounts = Array.from({ length: 11 }, (_, number) => `${number + 1}.10`)
  const [euros, dollars] = [
    await pay(bank, 'EUR', amounts),
    await pay(bank, 'USD', ['1.00', '2.00', '3.00', '4.00', '5.00']),
  ]
  const [eleventh, tenth] = [euros[10], euros[9]] as [Paid, Paid]
  const ten = euros.slice(0, 10)
  bank.clock.advance(1000)

  await t.test('an agent sees the payments and who is paid, and no control', async () => {
    const agnes = await another()
    await signIn('agnes', agnes)
    await agnes.goto(`${origin}/portal/staff/clearing`)
    await agnes.getByText('16 payments shown').waitFor()
    const [first = []] = await readRows(agnes)
    assert.match(first[0] ?? '', /\bago$/)
    assert.match(first[1] ?? '', /^Ada Okafor[A-Z]{2}\d\d /)
    assert.match(first[2] ?? '', /^Fernwerk[A-Z]{2}\d\d /)
    assert.equal(await agnes.getByRole('checkbox').count(), 0)
    assert.equal(await agnes.getByRole('button', { name: /^(Settle|Return)/ }).count(), 0)
    await agnes.getByRole('button', { name: 'Sent', exact: true }).click()
    await agnes.getByText('No payment is on its way to another bank.').waitFor()
    await agnes.getByRole('button', { name: 'Not sent yet' }).click()
    await agnes.getByRole('button', { name: 'Invoice 1.10', exact: true }).click()
    const dialog = agnes.getByRole('dialog', { name: 'Payment' })
    await dialog.getByText('Fernwerk').waitFor()
    await dialog.getByText('Ada Okafor').waitFor()
    await assertAccessibleEverywhere(agnes, 'one payment')
  })

  await signIn('root')
  await page.getByRole('link', { name: 'Clearing' }).click()
  await page.getByRole('heading', { name: 'Clearing', level: 1 }).waitFor()
  const status = page.getByRole('status')

  await t.test('ten are settled in one request; one was settled meanwhile', async () => {
    for (const payment of ten) await choose(page, payment)
    await page.getByText('10 payments selected').waitFor()
    await page.locator('.bulk').getByText('€56.00').waitFor()
    await assertAccessibleEverywhere(page, 'clearing')
    await page.getByRole('button', { name: 'Settle' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settle 10 payments?' })
    await dialog.getByText('€56.00').waitFor()
    await assertAccessibleEverywhere(page, 'clearing, the question')

    const root = await bank.as('root')
    const before = await root.post(`/api/v1/admin/transfers/${tenth.id}/settle`)
    assert.equal(before.status, 200, before.text)
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
    })
    await dialog.getByRole('button', { name: 'Settle' }).click()
    await status.getByText('9 payments settled.').waitFor()
    await status.getByText('1 payment had been ended by somebody else.').waitFor()
    // Settled euros without the tenth, 10.10.
    await status.getByText('€45.90').waitFor()
    // What has ended has left the list.
    const left = (await readRows(page)).map((cells) => cells[4])
    for (const { amount } of ten) assert.ok(!left.includes(`Invoice ${amount}`), amount)
    assert.ok(left.includes(`Invoice ${eleventh.amount}`))
    assert.deepEqual(posts, ['/portal/api/v1/admin/transfers/settle'])
    for (const payment of ten) assert.equal(await readStatus(bank, payment), 'completed')
    assert.equal(await readStatus(bank, eleventh), 'pending')
    await assertAccessibleEverywhere(page, 'clearing, results')
  })

  await t.test('five are returned at the pace of the limit: their money is back', async () => {
    await page.getByRole('button', { name: 'Refresh the list' }).click()
    await page.getByText('6 payments shown').waitFor()
    for (const payment of dollars) await choose(page, payment)
    await page.locator('.bulk').getByText('US$15.00').waitFor()
    await page.getByRole('button', { name: 'Return' }).click()
    const dialog = page.getByRole('dialog', { name: 'Return 5 payments?' })
    await dialog.getByText('US$15.00').waitFor()
    await dialog.getByRole('button', { name: 'Return' }).click()
    await dialog.getByText('Please correct 1 field').waitFor()
    await assertAccessibleEverywhere(page, 'clearing, a return without a reason')
    await dialog.getByLabel('Why it came back').selectOption('MD07')
    await noteWaits(page)
    page.on('response', (response) => {
      if (response.status() === 429) bank.clock.advance(1000)
    })
    await dialog.getByRole('button', { name: 'Return' }).click()
    await status.getByText('5 payments returned.').waitFor()
    const waits = await readWaits(page)
    assert.ok(waits.length >= 1, 'limited')
    assert.ok(Math.min(...waits) >= 999, `waited ${waits.join(', ')} ms`)
    const root = await bank.as('root')
    for (const { id } of dollars) {
      const { body } = await root.get(`/api/v1/transfers/${id}`)
      assert.deepEqual([body.status, body.reasonCode], ['returned', 'MD07'])
    }
    assert.equal(await readBalance(await bank.as('ada'), dollars[0]?.from ?? ''), '1000.00')
  })

  await t.test(
    'one is sent, once although its answer is lost, and then lies among those sent',
    async () => {
      bank.clock.advance(1000)
      const posts: (string | null)[] = []
      await page.route('**/send', async (route) => {
        posts.push(route.request().postData())
        await loseAnswer(route)
      })
      await choose(page, eleventh)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Send 1 payment?' })
      await dialog.getByText('can no longer cancel it').waitFor()
      await assertAccessibleEverywhere(page, 'clearing, sending')
      await dialog.getByRole('button', { name: 'Send' }).click()
      await status.getByText('1 payment sent.').waitFor()
      assert.deepEqual(posts, [JSON.stringify({ externalId: `sent-${eleventh.id}` })])
      assert.equal(await readStatus(bank, eleventh), 'sent')
      await page.getByRole('button', { name: 'Sent', exact: true }).click()
      await page.getByText('1 payment shown').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).count(), 0)
    },
  )

  await t.test(
    'a lost answer is looked for: the payment itself tells what became of it',
    async () => {
      bank.clock.advance(1000)
      const root = await bank.as('root')
      let sent = 0
      await page.route('**/settle', async (route) => {
        if (sent++ > 0) return route.continue()
        const { pathname } = new URL(route.request().url())
        const reply = await root.post(pathname.replace('/portal', ''))
        assert.equal(reply.status, 200, reply.text)
        await route.abort()
      })
      await choose(page, eleventh)
      await page.getByRole('button', { name: 'Settle' }).click()
      // It is there until the next request.
      const checking = page.getByText(texts.clearing.checking).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Settle' }).click()
      await checking
      await status.getByText('1 payment settled.').waitFor()
      await page.getByRole('button', { name: 'Refresh the list' }).click()
      await page.getByText('No payment is on its way').waitFor()
      await assertAccessibleEverywhere(page, 'clearing, empty')
    },
  )

  let sentIds: string[] = []
  await t.test(
    'many are sent in one request, once although its answer is lost; one was cancelled meanwhile',
    async () => {
      const [first, second, gone] = await pay(bank, 'EUR', ['21.10', '22.10', '23.10'])
      assert.ok(first && second && gone)
      const bodies: string[] = []
      await page.route('**/admin/transfers/send', async (route) => {
        bodies.push(route.request().postData() ?? '')
        return bodies.length === 1 ? loseAnswer(route) : route.continue()
      })
      await page.goto(`${origin}/portal/staff/clearing`)
      await page.getByRole('checkbox', { name: 'Select all that are shown' }).check()
      await page.locator('.bulk').getByText('€66.30').waitFor()
      bank.clock.advance(1000)
      const ada = await bank.as('ada')
      const cancelled = await ada.post(`/api/v1/transfers/${gone.id}/cancel`)
      assert.equal(cancelled.status, 200, cancelled.text)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
      await status.getByText('2 payments sent.').waitFor()
      await status.getByText('€43.20').waitFor()
      await status.getByText('1 payment had been ended by somebody else.').waitFor()
      // Newest first, as they are shown.
      const items = [gone, second, first].map(({ id }) => ({ id, externalId: `sent-${id}` }))
      assert.deepEqual(
        bodies.map((body) => JSON.parse(body) as unknown),
        [{ items }, { items }],
      )
      for (const payment of [first, second]) assert.equal(await readStatus(bank, payment), 'sent')
      sentIds = [first.id, second.id]
    },
  )

  await t.test(
    'those sent are settled in one request, once over a lost answer; one came back meanwhile',
    async () => {
      const bodies: string[] = []
      await page.route('**/admin/transfers/settle', async (route) => {
        bodies.push(route.request().postData() ?? '')
        return bodies.length === 1 ? loseAnswer(route) : route.continue()
      })
      await page.getByRole('button', { name: 'Sent', exact: true }).click()
      await page.getByRole('checkbox', { name: 'Select all that are shown' }).check()
      await page.locator('.bulk').getByText('€43.20').waitFor()
      bank.clock.advance(1000)
      const [id = '', other = ''] = sentIds
      const back = await (await bank.as('root')).post(`/api/v1/admin/transfers/${id}/return`)
      assert.equal(back.status, 200, back.text)
      await page.getByRole('button', { name: 'Settle' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Settle' }).click()
      await status.getByText('1 payment settled.').waitFor()
      await status.getByText('1 payment had been ended by somebody else.').waitFor()
      const items = [other, id].map((each) => ({ id: each, externalId: `completed-${each}` }))
      assert.deepEqual(
        bodies.map((body) => JSON.parse(body) as unknown),
        [{ items }, { items }],
      )
      assert.equal(await readStatus(bank, { id: other }), 'completed')
      assert.equal(await readStatus(bank, { id }), 'returned')
    },
  )

  await assertSound(bank)
  assert.deepEqual(
    complaints.filter((found) => !/ERR_FAILED|ERR_CONNECTION_RESET/.test(found)),
    [],
  )
})
