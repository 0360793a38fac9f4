// The tools that make clients: each is fetched once by its own package manager into a folder
// outside the tree. A tool that is missing, or that no registry brings, skips its test with a
// message.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'

export const folder = path.resolve(import.meta.dirname, '../../.ci/clients')

const caches = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache')

const execute = promisify(execFile)

/** Runs a program. Rejects with all that it wrote. */
export async function call(program: string, args: readonly string[], cwd: string, env = {}) {
  const options = { cwd, env: { ...process.env, ...env }, timeout: 200_000, maxBuffer: 2 ** 26 }
  try {
    return (await execute(program, args, options)).stdout
  } catch (thrown) {
    const { stdout = '', stderr = '', message } = thrown as Error & Record<string, string>
    throw new Error(`${message}\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`, { cause: thrown })
  }
}

/** Why a test is skipped. */
export class Missing extends Error {}

/** A test that is skipped where its tools are missing. */
export function withTools<T>(
  title: string,
  tools: () => Promise<T>,
  body: (t: TestContext, found: T) => Promise<void>,
): void {
  void test(title, { timeout: 280_000 }, async (t) => {
    let found: T
    try {
      found = await tools()
    } catch (thrown) {
      if (!(thrown instanceof Missing)) throw thrown
      return t.skip(thrown.message)
    }
    return body(t, found)
  })
}

export async function need(program: string, args: readonly string[], what: string): Promise<void> {
  await call(program, args, folder).catch(() => {
    throw new Missing(`${what} is not installed`)
  })
}

/**
 * A folder that `fill` has filled for the present text of a file, once for all runs. The fetching
 * of a test that was ended leaves nothing behind that looks complete.
 */
async function filled(file: string, fill: (target: string) => Promise<unknown>): Promise<string> {
  const text = readFileSync(path.join(folder, file))
  const sum = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const place = path.join(caches, 'strongroom-clients', `${file}-${sum}`)
  if (existsSync(path.join(place, 'complete'))) return place
  await mkdir(place, { recursive: true })
  await fill(place).catch((thrown: Error) => {
    throw new Missing(`what ${file} names could not be fetched: ${thrown.message}`)
  })
  await writeFile(path.join(place, 'complete'), '')
  return place
}

/** The folder with OpenAPI Generator and the libraries of its client for Java. */
export async function javaTools(): Promise<string> {
  await need('javac', ['-version'], 'A Java Development Kit')
  await need('mvn', ['-version'], 'Maven')
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
  return filled('java.xml', (target) =>
    call(
      'mvn',
      ['-B', '-q', '-C', '-f', 'java.xml', plugin, `-DoutputDirectory=${target}`],
      folder,
    ),
  )
}

/** A Python with the libraries of the generated client, or with the readers of statements. */
export async function pythonTools(
  list: 'requirements.txt' | 'camt.txt' = 'requirements.txt',
): Promise<string> {
  await need('python3', ['-c', 'import sys; assert sys.version_info >= (3, 10)'], 'Python 3.10')
  const place = await filled(list, async (target) => {
    await call('python3', ['-m', 'venv', target], folder)
    const pip = path.join(target, 'bin/pip')
    await call(pip, ['install', '-q', '--no-deps', '-r', list], folder)
  })
  return path.join(place, 'bin/python')
}

export const goTools = () => need('go', ['version'], 'Go')

/** The folder of the modules of npm. */
export async function npmTools(): Promise<string> {
  const place = await filled('package-lock.json', async (target) => {
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
      await writeFile(path.join(target, file), readFileSync(path.join(folder, file)))
    }
    await call('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], target)
  })
  return path.join(place, 'node_modules')
}
