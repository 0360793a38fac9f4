// `npm run fuzz -- --requests 200000`: a long run against a service of its own, with a bar that
// says how far it is. The same seed and number ask the same again.
import { randomInt } from 'node:crypto'
import { Command, InvalidArgumentError } from 'commander'
import { globalSetup, globalTeardown } from '../global-setup.ts'
import type { Span } from '../support/world.ts'

const number = (text: string): number => {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A whole number above zero is needed.')
}

const program = new Command('fuzz')
  .description('Asks every route with right, mutated and hostile requests, and judges.')
  .option('--requests <number>', 'how many', number, 20_000)
  .option('--frames <number>', 'as many HTTP/2 connections of any frames instead', number)
  .option('--seed <number>', 'the seed of an earlier run', number, randomInt(1, 2 ** 31))
  .parse()
const { frames, seed, ...asked } = program.opts<{
  requests: number
  frames?: number
  seed: number
}>()
const requests = frames ?? asked.requests
const unit = frames === undefined ? 'requests' : 'connections'

const say = (text: string) => void process.stderr.write(text)
const width = 30
const startedAt = performance.now()
let saidAt = -Infinity

function progress(done: number): void {
  const now = performance.now()
  const isTerminal = process.stderr.isTTY
  // A run goes on beyond its number until each route was reached.
  if (done !== requests && now - saidAt < (isTerminal ? 200 : 30_000)) return
  saidAt = now
  const rate = done / ((now - startedAt) / 1000)
  const left = Math.max(0, Math.ceil((requests - done) / rate))
  const figures = `${done} of ${requests} ${unit}, ${Math.round(rate)}/s, ${left} s left`
  const filled = Math.min(width, Math.round((done / requests) * width))
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled)
  say(isTerminal ? `\r${bar} ${figures} ` : `${figures}\n`)
}

/** At once, so that a run that is broken off has said what it met. */
const found = (what: string): void => say(`\n${what}\n`)

// What the two import looks for the cluster at once: only when it is there.

async function fuzzRequests(span: Span): Promise<number> {
  const { run, missed } = await import('./run.ts')
  const outcome = await run(span, { seed, requests, progress, found })
  if (process.stderr.isTTY) say('\n')
  const statuses = [...outcome.statuses].sort(([one], [other]) => one - other)
  say(`${statuses.map(([status, count]) => `${status}: ${count}`).join(', ')}\n`)
  if (outcome.busy > 0) say(`unavailable at first, as a busy machine is: ${outcome.busy}\n`)
  for (const what of missed(outcome)) say(`not reached: ${what}\n`)
  return outcome.findings.length
}

async function fuzzConnections(span: Span): Promise<number> {
  const { world } = await import('../support/world.ts')
  const { fuzzFrames } = await import('./frames-run.ts')
  const { findings } = await fuzzFrames(await world(span), {
    seed,
    connections: requests,
    progress,
  })
  if (process.stderr.isTTY) say('\n')
  findings.forEach(found)
  return findings.length
}

const ends: (() => Promise<void>)[] = []
try {
  say(`seed ${seed}\n`)
  await globalSetup()
  const span = { after: (end: () => Promise<void>) => void ends.unshift(end) }
  const findings = await (frames === undefined ? fuzzRequests(span) : fuzzConnections(span))
  if (findings > 0) {
    const option = frames === undefined ? 'requests' : 'frames'
    throw new Error(`${findings} findings; again: --seed ${seed} --${option} ${requests}`)
  }
  say(`${requests} ${unit}, nothing found.\n`)
} catch (thrown) {
  say(`${(thrown as Error).message.split('\n', 1)[0]}\n`)
  process.exitCode = 1
} finally {
  for (const end of ends) await end()
  await globalTeardown()
}
