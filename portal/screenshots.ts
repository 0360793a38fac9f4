// `npm run screenshots`: makes the pictures of the README in a real browser, from a demo bank.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../test/support/browser.ts'
import { until } from '../test/support/mailbox.ts'
import { signIn, withDemoBank } from './demo-bank.ts'

const pictures = path.join(import.meta.dirname, '../docs/pictures')

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}

const picture = async (page: Page, name: string): Promise<void> => {
  await settle(page)
  await page.screenshot({ path: path.join(pictures, `${name}.png`) })
}

/** A page that was signed in, opened again with the face, as on later visits. */
async function openAgain(page: Page): Promise<Page> {
  await until('the face is kept', () => page.evaluate<boolean>("caches.has('face')"))
  await settle(page)
  await page.reload()
  const hasFace = "[...document.fonts].some(({ family }) => family === 'Face')"
  await until('the face is used', () => page.evaluate<boolean>(hasFace))
  return page
}

await mkdir(pictures, { recursive: true })
await withDemoBank(async (bank) => {
  const browser = await openBrowser()
  try {
    const customer = await openAgain(await signIn(browser, bank, 'customer'))
    await picture(customer, 'home')
    await customer.locator('.accounts a').first().click()
    await picture(customer, 'account')
    await customer.locator('main').getByRole('link', { name: 'Pay', exact: true }).click()
    await customer.locator('[name=to] optgroup option').first().waitFor({ state: 'attached' })
    await customer.locator('[name=to]').selectOption({ index: 1 })
    await customer.locator('[name=amount]').fill('125.50')
    await customer.locator('[name=reference]').fill('Invoice 2026-117')
    await customer.getByRole('button', { name: 'Continue' }).click()
    await customer.getByRole('heading', { name: 'Check and confirm' }).waitFor()
    await picture(customer, 'review')
    const admin = await openAgain(await signIn(browser, bank, 'admin'))
    await admin.getByRole('link', { name: 'Today' }).click()
    await picture(admin, 'today')
  } finally {
    await browser.close()
  }
})
