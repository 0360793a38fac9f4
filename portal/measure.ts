// `npm run portal:measure`: how long the first screen takes until it shows data, in a real browser
// that is slowed to a quarter, from a demo bank. Prints Markdown.
import type { Page } from 'playwright-core'
import { openBrowser } from '../test/support/browser.ts'
import { signIn, withDemoBank } from './demo-bank.ts'

const rounds = 9
const slowdown = 4

/** Notes, in the page, when the first account with its balance has been painted. */
const watchForData = `(() => {
  const look = () =>
    document.querySelector('main .money')
      ? requestAnimationFrame(() => (globalThis.dataAt = performance.now()))
      : requestAnimationFrame(look)
  look()
})()`

type Timing = { data: number; paint: number; bytes: number }

const readTiming = `(() => ({
  data: globalThis.dataAt,
  paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
  bytes: performance.getEntriesByType('resource')
    .concat(performance.getEntriesByType('navigation'))
    .reduce((sum, { transferSize }) => sum + transferSize, 0),
}))()`

async function load(page: Page, url: string): Promise<Timing> {
  await page.goto('about:blank')
  await page.goto(url)
  await page.locator('main .money').first().waitFor()
  while ((await page.evaluate('globalThis.dataAt')) === undefined);
  return page.evaluate<Timing>(readTiming)
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] as number

await withDemoBank(async (bank) => {
  const browser = await openBrowser()
  try {
    const page = await signIn(browser, bank, 'customer')
    await page.addInitScript(watchForData)
    const debug = await page.context().newCDPSession(page)
    await debug.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    // A browser keeps no file of a server whose certificate it does not trust.
    await debug.send('Network.setCacheDisabled', { cacheDisabled: true })
    const timings: Timing[] = []
    for (let round = 0; round < rounds; round++) {
      timings.push(await load(page, `${bank.origin}/portal/`))
    }
    const of = (name: keyof Timing) => Math.round(median(timings.map((timing) => timing[name])))
    const kilobytes = Math.round(of('bytes') / 1024)
    process.stdout.write(`| ${of('data')} ms | ${of('paint')} ms | ${kilobytes} KB |\n`)
  } finally {
    await browser.close()
  }
})
