// The package as a release brings it: packed from a copy of the sources, and installed in an empty
// project by npm, under the Node of this machine and not that of the sources.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Not in git, or not part of a package. */
const left = new Set(['.git', '.bench', 'data', 'dist', 'node_modules', 'pictures'])

/** The environment of a user: nothing of the sources' own `node_modules` is on the path. */
export function userEnvironment(): NodeJS.ProcessEnv {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  const PATH = folders.filter((folder) => !folder.includes('node_modules')).join(path.delimiter)
  const foreign = /^(npm_|NODE_|STRONGROOM_)/i
  const rest = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  return { ...Object.fromEntries(rest), PATH }
}

/** Copies the sources to that folder: without their packages, and without what was built. */
export async function copySources(folder: string): Promise<void> {
  const filter = (source: string) => !left.has(path.basename(source))
  await cp(root, folder, { recursive: true, filter })
}

/** Makes a release in that new folder, of a copy of the sources. Gives the path of its package. */
export async function release(to: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-release-'))
  try {
    await copySources(folder)
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
    await execute(path.join(folder, '.ci/release'), [to])
    const name = (await readdir(to)).find((file) => /^strongroom-\d.*\.tgz$/.test(file))
    return path.join(to, String(name))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs npm as a user does, with its cache. */
export async function npm(folder: string, ...args: string[]): Promise<void> {
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  await execute('npm', [...args, ...quiet], { cwd: folder, env: userEnvironment() })
}

/** Installs the tarball in an empty project in that folder. */
export async function install(tarball: string, project: string): Promise<void> {
  await mkdir(project, { recursive: true })
  await writeFile(path.join(project, 'package.json'), '{ "name": "project", "private": true }\n')
  await npm(project, 'install', tarball)
}
