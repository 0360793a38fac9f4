// Generates load: with wrk where it is installed, which costs half of what Node.js would (25 µs
// for a request against 49), else with sockets of our own. Both keep each connection busy with
// one request after the other.
import { spawn } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { usedBy } from './cost.ts'
import type { Figures } from './harness.ts'
import { type Plan, reserveNumbers } from './plan.ts'
import { loadByNode } from './sockets.ts'

export type Target = { port: number; ca: Buffer }

const script = fileURLToPath(new URL('wrk.lua', import.meta.url))

/** The path of a program, or undefined where it is not installed. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(':').concat('/usr/bin')) {
    const file = path.join(folder, name)
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file
  }
  return undefined
}

/** What makes the load on this machine. */
export const generator = async (): Promise<string> =>
  (await findProgram('wrk')) ? 'wrk, one thread, LuaJIT' : 'Node.js, in the process of the bench'

/** Keeps that many connections busy with the plan for that long. */
export async function load(
  target: Target,
  plan: Plan,
  connections: number,
  seconds: number,
): Promise<Figures> {
  const program = await findProgram('wrk')
  // wrk counts in whole seconds.
  return program !== undefined && seconds >= 1
    ? loadByWrk(program, target, plan, connections, seconds)
    : loadByNode(target, plan, connections, seconds)
}

type Result = {
  requests: number
  microseconds: number
  p50: number
  p99: number
  refused: number
  lost: number
}

async function loadByWrk(
  program: string,
  { port }: Target,
  plan: Plan,
  connections: number,
  seconds: number,
): Promise<Figures> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-load-'))
  try {
    const file = path.join(folder, 'templates')
    await writeFile(file, plan.templates.join('\x1e'))
    const options = ['-t', '1', '-c', `${connections}`, '-d', `${Math.ceil(seconds)}s`]
    const values = [file, `${reserveNumbers()}`, `${plan.repeatPercent ?? 0}`]
    const url = `https://localhost:${port}/`
    const { output, cores } = await run(program, [...options, '-s', script, url, '--', ...values])
    const line = /^RESULT (.*)$/m.exec(output)?.[1]
    if (line === undefined) throw new Error(`wrk said: ${output}`)
    const result = JSON.parse(line) as Result
    // On a machine with no time to spare, not even one answer may come: there is nothing to say.
    if (result.requests === 0) return { perSecond: Number.NaN }
    if (result.lost > 0) throw new Error(`${result.lost} requests had no answer`)
    return {
      perSecond: (result.requests - result.refused) / (result.microseconds / 1e6),
      p50Milliseconds: result.p50 / 1000,
      p99Milliseconds: result.p99 / 1000,
      refusedPercent: (100 * result.refused) / result.requests,
      ...(cores !== undefined && { loadCores: cores }),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The output of a program, and the cores it used on average. */
export async function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ output: string; cores: number | undefined }> {
  const started = performance.now()
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  }
  let cores: number | undefined
  const look = async () => {
    const microseconds = await usedBy(child.pid as number)
    if (microseconds === undefined) return
    cores = microseconds / ((performance.now() - started) * 1000)
  }
  const looking = setInterval(() => void look(), 100)
  try {
    const code = await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    if (code !== 0) throw new Error(`${program}: ${output}`)
    return { output, cores }
  } finally {
    clearInterval(looking)
  }
}
