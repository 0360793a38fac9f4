// The program as a person starts it: a process of its own, watched until it says it is ready.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))

/** Variables that measure or change the code under test are passed on. */
const inherited = ['NODE_OPTIONS', 'NODE_V8_COVERAGE', 'MUTANT']
export const inheritedVariables = () =>
  Object.fromEntries(inherited.map((name) => [name, process.env[name]]))

export type Program = {
  child: ChildProcess
  /** Everything written so far. */
  out(): string
  err(): string
  /** Resolves with the exit code. */
  ended: Promise<number | null>
  /** Resolves when standard error or output matches; rejects when the program ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
}

/**
 * Starts `strongroom …` with these settings (names without the prefix) and no others.
 *
 * @param options of Node itself
 * @param program the file that is run: by default that of the sources
 */
export function run(
  args: readonly string[],
  settings: Record<string, string>,
  options: readonly string[] = [],
  program: string = bin,
): Program {
  const given = Object.entries(settings).map(([name, value]) => [`STRONGROOM_${name}`, value])
  const env = { ...inheritedVariables(), ...Object.fromEntries(given) }
  const child = spawn(process.execPath, [...options, program, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  const waiting = new Set<() => void>()
  const heard = () => waiting.forEach((look) => look())
  child.stdout.on('data', (chunk: Buffer) => ((out += chunk.toString()), heard()))
  child.stderr.on('data', (chunk: Buffer) => ((err += chunk.toString()), heard()))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return {
    child,
    out: () => out,
    err: () => err,
    ended,
    says(pattern) {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
      const look = () => {
        const match = pattern.exec(err) ?? pattern.exec(out)
        if (match) resolve(match)
      }
      waiting.add(look)
      look()
      void ended.then((code) => reject(new Error(`ended with ${code}: ${err}`)))
      return promise.finally(() => waiting.delete(look))
    },
  }
}

/** The generated password of the first administrator, which no terminal has shown. */
export async function firstPassword(dataDir: string): Promise<string> {
  const text = await readFile(`${dataDir}/first-admin-password`, 'utf8')
  return /^ {2}password {3}(\S+)$/m.exec(text)?.[1] ?? ''
}

/** Below the ports that systems give to outgoing connections (Linux: from 32768 on). */
const [portMin, portMax] = [20_000, 32_767]

/**
 * Keeps the port from other tests, those of other processes included, until this process ends: a
 * program may listen on it much later. For UDP, which disturbs no program.
 */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  const isFree = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false))
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
  if (isFree) socket.unref()
  else socket.close()
  return isFree
}

/**
 * A port that no program listens on now, another one each time. No outgoing connection takes it, so
 * a program that was killed finds it free when it is started again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(portMin, portMax + 1)
    if (!(await claim(port))) continue
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
