// How soon the first page shows data. Times depend on what else the machine does, so what they are
// made of is held here: the round trips one after another, and the bytes. The times are printed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { sceneIn } from '../../test/support/fixture.ts'
import { visit } from './support.ts'

const rounds = 3
const latencyMs = 400
const bytesPerSecond = 50_000
/** The document, the scripts, who is signed in, data. */
const tripsMax = 4
const bytesMax = 49_000

/** Notes, in the page, when it first shows an amount of money. */
const watchForData = `(() => {
  const look = () =>
    document.querySelector('main .money')
      ? (globalThis.dataAt = performance.now())
      : requestAnimationFrame(look)
  look()
})()`

/** Loads the page from an empty cache. @returns milliseconds until an amount of money is shown */
async function load(page: Page, url: string): Promise<number> {
  await page.goto('about:blank')
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('main .money').first().waitFor({ state: 'attached' })
  return page.evaluate<number>(
    'new Promise((resolve) => requestAnimationFrame(() => resolve(dataAt)))',
  )
}

type Loaded = { url: string; begin: number; end: number; bytes: number }

/** One more than the longest chain of requests that ended one before the other, and before this. */
const tripOf = (one: Loaded, all: readonly Loaded[]): number =>
  1 + Math.max(0, ...all.filter(({ end }) => end <= one.begin).map((other) => tripOf(other, all)))

/** Notes what is loaded. */
function watchRequests(debug: CDPSession): { read: () => Loaded[]; clear: () => void } {
  let loaded: Loaded[] = []
  const open = new Map<string, Loaded>()
  debug.on('Network.requestWillBeSent', ({ requestId, request: { url }, timestamp }) => {
    open.set(requestId, { url, begin: timestamp, end: Infinity, bytes: 0 })
  })
  debug.on('Network.loadingFinished', ({ requestId, encodedDataLength, timestamp }) => {
    const ended = open.get(requestId)
    if (ended) loaded.push({ ...ended, end: timestamp, bytes: encodedDataLength })
  })
  return { read: () => loaded, clear: () => (loaded = []) }
}

async function visitHome(t: Parameters<typeof visit>[0]) {
  const visiting = await visit(t)
  if (!visiting) return undefined
  const { bank, page, origin, signIn } = visiting
  await sceneIn(bank)
  await signIn('ada')
  const debug = await page.context().newCDPSession(page)
  await debug.send('Network.enable')
  await debug.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.addInitScript(watchForData)
  return { debug, load: () => load(page, `${origin}/portal/`) }
}

test('home shows balances from an empty cache after 4 round trips and 49 KB', async (t) => {
  const home = await visitHome(t)
  if (!home) return
  await home.debug.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  const requests = watchRequests(home.debug)
  const all: { ms: number; loaded: Loaded[]; last: number }[] = []
  for (let round = 0; round < rounds; round++) {
    requests.clear()
    const ms = await home.load()
    const loaded = requests.read().filter(({ url }) => !url.startsWith('about:'))
    const data = loaded.find(({ url }) => url.includes('/accounts?'))
    assert.ok(data, 'accounts were read')
    all.push({ ms, loaded, last: tripOf(data, loaded) })
  }
  t.diagnostic(`${Math.round(Math.min(...all.map(({ ms }) => ms)))} ms at 400 kbit/s and 400 ms`)
  const { loaded, last } = all.toSorted((one, other) => one.last - other.last)[0] as (typeof all)[0]
  const list = loaded.map((one) => `${tripOf(one, loaded)} ${one.bytes} ${one.url}`).join('\n')
  assert.ok(loaded.length > 8, list)
  assert.ok(last <= tripsMax, `data comes by trip ${last}:\n${list}`)
  // What comes behind the balances, such as the next payments of orders, delays none.
  const first = loaded.filter((one) => tripOf(one, loaded) <= last)
  const bytes = first.reduce((sum, one) => sum + one.bytes, 0)
  assert.ok(bytes > 20_000 && bytes <= bytesMax, `${bytes} bytes:\n${list}`)
  t.diagnostic(`${last} trips, ${loaded.length} requests, ${bytes} bytes`)
})

test('home shows balances from an empty cache after a quarter of a second of processor time', async (t) => {
  const home = await visitHome(t)
  if (!home) return
  // Of the main thread, whatever else the machine does: 1 s on a quarter of the speed.
  await home.debug.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taskTimes: number[] = []
  for (let round = 0; round < rounds; round++) {
    await home.load()
    const { metrics } = await home.debug.send('Performance.getMetrics')
    // Since the page began: the browser counts each page anew.
    const { value = Number.NaN } = metrics.find(({ name }) => name === 'TaskDuration') ?? {}
    taskTimes.push(value * 1000)
  }
  t.diagnostic(taskTimes.map(Math.round).join(', '))
  const least = Math.min(...taskTimes)
  assert.ok(least > 5 && least <= 250, `${least} ms`)
  await home.debug.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  t.diagnostic(`${Math.round(await home.load())} ms on a processor of a quarter of the speed`)
})
