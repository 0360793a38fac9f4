// The login that commands share: where the bank is, and the tokens or the key. Only its owner may
// read it.
import { randomUUID } from 'node:crypto'
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import type { StoredTokens, TokenStore } from '../src/index.ts'
import { UsageError } from './exit.ts'

export type Login = {
  baseUrl: string
  /** The file of the certificate authority to trust. */
  ca?: string
  /** The key of a service account; or the tokens of a person's session. */
  key?: string
  tokens?: StoredTokens
}

/** After a logout the token of the known device is left. It opens nothing. */
export const isOpen = ({ key, tokens }: Login): boolean =>
  key !== undefined || tokens?.session !== undefined

const folderMode = 0o700
const fileMode = 0o600
const forOthers = 0o077

/** Where the login is kept by default. Throws {@link UsageError} if the user has no home folder. */
export function homeFolder(): string {
  try {
    return path.join(homedir(), '.strongroom')
  } catch {
    throw new UsageError('This user has no home folder: give --folder, or set HOME.')
  }
}

const fileIn = (folder: string): string => path.join(folder, 'login.json')

/**
 * The login that was kept; undefined when there is none. Throws {@link UsageError} when anyone else
 * could have read or replaced it.
 */
export async function readLogin(folder: string): Promise<Login | undefined> {
  const file = fileIn(folder)
  if (!(await isPrivate(folder, folderMode)) || !(await isPrivate(file, fileMode))) return undefined
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Login
  } catch {
    throw new UsageError(`${file} cannot be read: log in again`)
  }
}

export async function writeLogin(folder: string, login: Login): Promise<void> {
  await mkdir(folder, { recursive: true, mode: folderMode })
  await isPrivate(folder, folderMode)
  const file = fileIn(folder)
  // Written beside and moved: another command reads the old one or the new one.
  const fresh = `${file}.${randomUUID()}`
  try {
    await writeFile(fresh, JSON.stringify(login), { mode: fileMode, flag: 'wx' })
    await rename(fresh, file)
  } finally {
    await rm(fresh, { force: true })
  }
}

/** False when it is not there. Throws {@link UsageError} when it is not the owner's alone. */
async function isPrivate(at: string, mode: number): Promise<boolean> {
  const found = await lstat(at).catch(() => undefined)
  if (!found) return false
  const isOwn = process.getuid === undefined || found.uid === process.getuid()
  if (found.isSymbolicLink() || !isOwn || (found.mode & forOthers) !== 0) {
    const wanted = `chmod ${mode.toString(8)} '${at}'`
    throw new UsageError(`${at} is open to others than you; if that was meant otherwise: ${wanted}`)
  }
  return true
}

/** Where the client keeps the tokens of a login. */
export const toTokenStore = (folder: string, login: Login): TokenStore => ({
  async read() {
    // Another command may have refreshed them.
    return (await readLogin(folder))?.tokens ?? {}
  },
  write: (tokens) => writeLogin(folder, { ...login, tokens }),
})
