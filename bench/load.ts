// Generates load: each connection sends one request after the other. wrk does it where it is
// installed, for half the processor time of Node.js (25 µs per request against 49).
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect, type Target, toPace } from './connection.ts'
import type { Figures } from './harness.ts'

export const run = promisify(execFile)

/** Whole HTTP/1.1 requests, one of which is chosen at random each time. */
export type Templates = readonly string[]

/**
 * V8 compiles what is used often: in the first 60,000 transfers the processor time of one falls by
 * half.
 */
export const warmUpSeconds = 10

/** Stands in a template for a number that is never sent twice, in as many digits. */
export const numberMark = '##########'

let reserved = 0

/** The first of ten million numbers that no other measurement uses. */
const reserveNumbers = (): number => (reserved += 10_000_000)

const script = fileURLToPath(new URL('wrk.lua', import.meta.url))

/** The path of a program, or undefined where it is not installed. */
export const findProgram = (name: string): Promise<string | undefined> =>
  run('which', [name]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )

export const generatorName = async (): Promise<string> =>
  (await findProgram('wrk')) ? 'wrk, one thread' : 'Node.js, in the process of the benchmark'

type Load = [target: Target, templates: Templates, connections: number, seconds: number]

/** Keeps that many connections busy for that long. */
export async function load(...terms: Load): Promise<Figures> {
  const program = await findProgram('wrk')
  // wrk counts in whole seconds.
  return program !== undefined && terms[3] >= 1 ? loadByWrk(program, terms) : loadByNode(terms)
}

type Result = Record<
  'requests' | 'microseconds' | 'p50' | 'p99' | 'refused' | 'lost' | 'late',
  number
>

/**
 * wrk counts a response that comes later as an error of its own, and waits for it. By default that
 * is 2 s, which a busy machine exceeds now and then.
 */
const lateSeconds = 20

async function loadByWrk(
  program: string,
  [{ port }, templates, connections, seconds]: Load,
): Promise<Figures> {
  const first = reserveNumbers()
  // Instances are loaded at once, each by a generator of its own.
  const file = path.join(tmpdir(), `strongroom-${process.pid}-${first}.templates`)
  await writeFile(file, templates.join('\x1e'))
  try {
    const options = ['-t', '1', '-c', `${connections}`, '-d', `${Math.ceil(seconds)}s`]
    options.push('--timeout', `${lateSeconds}s`)
    const url = `https://localhost:${port}/`
    const values = [file, `${first}`]
    const { stdout } = await run(program, [...options, '-s', script, url, '--', ...values])
    const line = /^RESULT (.*)$/m.exec(stdout)?.[1]
    if (line === undefined) throw new Error(`Unexpected output of wrk: ${stdout}`)
    const { requests, microseconds, p50, p99, refused, lost, late } = JSON.parse(line) as Result
    // On an overloaded machine there may not be a single response.
    if (requests === 0) return {}
    return {
      perSecond: (requests - refused) / (microseconds / 1e6),
      p50Ms: p50 / 1000,
      p99Ms: p99 / 1000,
      refusedPercent: (100 * refused) / requests,
      ...(lost + late > 0 && { lost: lost + late }),
    }
  } finally {
    await rm(file)
  }
}

async function loadByNode([target, templates, connections, seconds]: Load): Promise<Figures> {
  const clients = await Promise.all(Array.from({ length: connections }, () => connect(target)))
  let number = reserveNumbers()
  const latencies: number[] = []
  let [refused, lost] = [0, 0]
  const startedAt = performance.now()
  const end = startedAt + seconds * 1000
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const template = templates[Math.floor(Math.random() * templates.length)] ?? ''
        const digits = String(++number).padStart(numberMark.length, '0')
        const sentAt = performance.now()
        const response = await client.ask(template.replaceAll(numberMark, digits)).catch(() => '')
        if (response === '') {
          lost++
          client = await connect(target)
        } else if (Number(response.slice(9, 12)) < 400) latencies.push(performance.now() - sentAt)
        else refused++
      }
      client.close()
    }),
  )
  return {
    ...toPace(latencies, (performance.now() - startedAt) / 1000),
    refusedPercent: (100 * refused) / (latencies.length + refused),
    ...(lost > 0 && { lost }),
  }
}
