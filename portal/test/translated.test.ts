// The portal while the browser translates it: what is shown stays what the page means.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../test/support/mailbox.ts'
import { deposit, readBalance, sceneIn } from '../../test/support/fixture.ts'
import { untilRead, visit } from './support.ts'

/**
 * As browsers translate: each text, also one that comes later, is taken out, and an element with
 * the translation is put in its place. Here a translation is the text in brackets.
 */
const translator = `(() => {
  const isSkipped = (node) => node.parentElement?.closest('[translate=no], font, script, style')
  const translate = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const texts = []
    for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node)
    for (const text of texts) {
        if (text.data.trim() === '' || isSkipped(text)) continue
      const [outer, inner] = [document.createElement('font'), document.createElement('font')]
      inner.textContent = '\\u27e6' + text.data + '\\u27e7'
      outer.append(inner)
      text.replaceWith(outer)
    }
  }
  addEventListener('DOMContentLoaded', () => {
    const observer = new MutationObserver((records) => {
      for (const { addedNodes } of records) {
        addedNodes.forEach((node) => translate(node.parentNode ?? node))
      }
    })
    observer.observe(document.body, { childList: true, subtree: true })
    translate(document.body)
  })
})()`

async function readMain(page: Page): Promise<string> {
  await page.locator('main h1').waitFor()
  const shown = await page.evaluate<string>("document.querySelector('main').innerText")
  return shown.replaceAll(/[\u27e6\u27e7]/g, '').replaceAll(/\s+/g, ' ')
}

/** Both show the same, once each has drawn it. */
async function assertSame([translated, plain]: readonly [Page, Page], what: string): Promise<void> {
  const read = () => Promise.all([readMain(translated), readMain(plain)])
  await until(what, async () => {
    const [here, there] = await read()
    return here === there && !here?.includes('Loading')
  }).catch(async () => {
    const [here, there] = await read()
    assert.equal(here, there, what)
  })
}

test('while a browser translates the page, every text that changes is the one that is shown', async (t) => {
  const visiting = await visit(t, { refusals: [400, 409] })
  if (!visiting) return
  const { bank, page, context, origin, complaints, signIn } = visiting
  const { ada, root, from, to } = await sceneIn(bank, '20000.00')
  for (let number = 1; number <= 30; number++) await deposit(root, from, `${number}.00`)
  await ada.post(`/api/v1/accounts/${from}/cards`, { nickname: 'Groceries' })
  await signIn('ada')
  const plain = await context.newPage()
  await page.addInitScript(translator)
  const pages = [page, plain] as const
  const both = (work: (on: Page) => Promise<unknown>) => Promise.all(pages.map(work))
  const visitBoth = (path: string) => both((on) => on.goto(`${origin}${path}`))

  await visitBoth(`/portal/transfer?from=${from}`)
  const amount = (on: Page) => on.locator('[name=amount]')
  await both((on) => on.locator('[name=to]').selectOption(`account:${to}`))
  for (const typed of ['2.50', '9700', '97000', 'many', '9700']) {
    await both((on) => amount(on).fill(typed))
    await assertSame(pages, `the form with ${typed}`)
  }
  await page.getByText('You pay').waitFor()
  assert.match(await readMain(page), /You pay €9,700\.00\./)
  assert.equal(await page.getByText('€2.50').count(), 0)
  for (const when of ['weekly', 'once', 'now']) {
    await both((on) => on.locator('[name=when]').selectOption(when))
    await assertSame(pages, `the form of a payment ${when}`)
  }
  await both((on) => amount(on).fill('0'))
  await both((on) => on.locator('button[type=submit]').click())
  await assertSame(pages, 'the form with an error')
  await both((on) => amount(on).fill('1.234'))
  await assertSame(pages, 'the form with another error')

  await visitBoth(`/portal/accounts/${from}`)
  await assertSame(pages, 'the account')
  await both((on) => on.locator('.more button').click())
  await both((on) => on.locator('li .row').nth(30).waitFor())
  await assertSame(pages, 'the account with more entries')
  await both((on) => on.locator('form.find [aria-expanded]').click())
  await both((on) => on.locator('[name=minAmount]').fill('29'))
  await both((on) => on.locator('form.find [type=submit]').click())
  await assertSame(pages, 'the account with a filter')

  await visitBoth('/portal/cards')
  await assertSame(pages, 'the cards')
  const freeze = (on: Page) => on.locator('.plastic button').first().click()
  await freeze(page)
  await page.getByText('is frozen.').waitFor()
  await plain.reload()
  await plain.getByText('Unfreeze').waitFor()
  await both(untilRead)
  assert.equal(
    (await readMain(page)).replace(/ ?Card \d+ is frozen\.$/, ''),
    await readMain(plain),
    'the cards after a freeze',
  )

  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await page.locator('[name=to]').selectOption(`account:${to}`)
  await amount(page).fill('9700')
  await page.locator('button[type=submit]').click()
  await page.locator('.amount-large').waitFor()
  await page.locator('button[type=submit]').click()
  await page.getByText('Your payment was made.').waitFor()
  await page.getByText('€9,700.00').waitFor()
  assert.ok(Number(await readBalance(ada, from)) > 0)
  // No figure was given to the translator.
  const translations = "[...document.querySelectorAll('font')].map((one) => one.textContent)"
  const figures = (await page.evaluate<string[]>(translations)).filter((text) => /\d/.test(text))
  assert.deepEqual(figures, [])
  assert.deepEqual(
    complaints.filter((found) => !/\b(400|409)\b/.test(found)),
    [],
  )
})
