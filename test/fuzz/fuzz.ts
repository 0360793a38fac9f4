// `npm run fuzz -- --requests 200000`: a long run against a service of its own, with a bar that
// says how far it is. The same seed and number ask the same again.
import { randomInt } from 'node:crypto'
import { Command, InvalidArgumentError } from 'commander'
import { globalSetup, globalTeardown } from '../global-setup.ts'

const number = (text: string): number => {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A whole number above zero is needed.')
}

const program = new Command('fuzz')
  .description('Asks every route with right, nearly right and hostile requests, and judges.')
  .option('--requests <number>', 'how many', number, 20_000)
  .option('--seed <number>', 'the seed of an earlier run', number, randomInt(1, 2 ** 31))
  .parse()
const { requests, seed } = program.opts<{ requests: number; seed: number }>()

const say = (text: string) => void process.stderr.write(text)
const width = 30
const startedAt = performance.now()
let saidAt = -Infinity

function progress(done: number): void {
  const now = performance.now()
  const isTerminal = process.stderr.isTTY
  if (done < requests && now - saidAt < (isTerminal ? 200 : 30_000)) return
  saidAt = now
  const rate = done / ((now - startedAt) / 1000)
  const left = Math.ceil((requests - done) / rate)
  const figures = `${done} of ${requests} requests, ${Math.round(rate)}/s, ${left} s left`
  const filled = Math.round((done / requests) * width)
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled)
  say(isTerminal ? `\r${bar} ${figures} ` : `${figures}\n`)
}

/** At once, so that a run that is broken off has said what it met. */
const found = (what: string): void => say(`\n${what}\n`)

const ends: (() => Promise<void>)[] = []
try {
  say(`seed ${seed}\n`)
  await globalSetup()
  // Only now: what it imports looks for the cluster at once.
  const { run, missed } = await import('./run.ts')
  const span = { after: (end: () => Promise<void>) => void ends.unshift(end) }
  const outcome = await run(span, { seed, requests, progress, found })
  if (process.stderr.isTTY) say('\n')
  const statuses = [...outcome.statuses].sort(([one], [other]) => one - other)
  say(`${statuses.map(([status, count]) => `${status}: ${count}`).join(', ')}\n`)
  if (outcome.busy > 0) say(`unavailable at first, as a busy machine is: ${outcome.busy}\n`)
  for (const what of missed(outcome)) say(`not reached: ${what}\n`)
  if (outcome.findings.length > 0) {
    throw new Error(
      `${outcome.findings.length} findings; again: --seed ${seed} --requests ${requests}`,
    )
  }
  say(`${requests} requests, nothing found.\n`)
} catch (thrown) {
  say(`${(thrown as Error).message.split('\n', 1)[0]}\n`)
  process.exitCode = 1
} finally {
  for (const end of ends) await end()
  await globalTeardown()
}
