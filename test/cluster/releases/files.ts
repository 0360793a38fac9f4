// What is stored of each release that went out: its sources, its interface, and a small bank that
// it made, as a data folder and as rows. `make.ts` makes them.
import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { findAccount } from '../../../src/database/embedded/program.ts'
import { isAtLeast } from '../../../src/domain/release.ts'
import type { KnownBank } from './bank.ts'

const execute = promisify(execFile)
const stored = fileURLToPath(new URL('.', import.meta.url))
export const root = fileURLToPath(new URL('../../..', import.meta.url))
const { ZSTD_c_compressionLevel, ZSTD_c_windowLog, ZSTD_c_enableLongDistanceMatching } = constants
/** The databases of a cluster are nearly the same: one is found in the other, far behind it. */
const params = {
  [ZSTD_c_compressionLevel]: 19,
  [ZSTD_c_windowLog]: 27,
  [ZSTD_c_enableLongDistanceMatching]: 1,
}

const kinds = {
  source: 'source.tar.zst',
  folder: 'data.tar.zst',
  rows: 'rows.json.zst',
  bank: 'bank.json.zst',
  interface: 'openapi.json.zst',
} as const

const fileOf = (release: string, kind: keyof typeof kinds) =>
  path.join(stored, release, kinds[kind])

/** The releases of which something is stored, oldest first. */
export async function storedReleases(): Promise<string[]> {
  const entries = await readdir(stored, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return names.toSorted((one, other) => (isAtLeast(one, other) ? 1 : -1))
}

export async function store(
  release: string,
  kind: keyof typeof kinds,
  content: Buffer | string,
): Promise<void> {
  await mkdir(path.join(stored, release), { recursive: true })
  const compressed = await promisify(zstdCompress)(content, { params })
  await writeFile(fileOf(release, kind), compressed)
  process.stderr.write(`${kinds[kind]}: ${compressed.length} bytes\n`)
}

const load = async (release: string, kind: keyof typeof kinds): Promise<Buffer> =>
  promisify(zstdDecompress)(await readFile(fileOf(release, kind)))

const loadJson = async <R>(release: string, kind: keyof typeof kinds): Promise<R> =>
  JSON.parse((await load(release, kind)).toString()) as R

export const loadBank = (release: string) => loadJson<KnownBank>(release, 'bank')
export const loadInterface = (release: string) => loadJson<object>(release, 'interface')

/** Of each table, its rows as JSON. */
export type Rows = Record<string, Record<string, unknown>[]>
export const loadRows = (release: string) => loadJson<Rows>(release, 'rows')

async function unpack(tar: Buffer, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const unpacking = execute('tar', ['-x', '--no-same-owner', '-C', folder])
  unpacking.child.stdin?.end(tar)
  await unpacking
}

/** Unpacks the program of that release. Its packages are those of this one. Gives its way in. */
export async function unpackProgram(release: string, folder: string): Promise<string> {
  await unpack(await load(release, 'source'), folder)
  // `node-pg-migrate` is there for these programs alone.
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  return path.join(folder, 'bin/strongroom.js')
}

/** Unpacks its data folder, for the account that PostgreSQL runs as. */
export async function unpackFolder(release: string, folder: string): Promise<void> {
  await unpack(await load(release, 'folder'), folder)
  const account = await findAccount('/no/cluster/yet')
  if (!account) return
  const owned = ['postgres', 'socket'].map((name) => path.join(folder, name))
  await execute('chown', ['-R', `${account.uid}:${account.gid}`, ...owned])
  await execute('chgrp', [String(account.gid), folder])
  await chmod(folder, 0o710)
}
