// The file that holds the password of the embedded PostgreSQL's owner, and where it listens.
import { randomBytes } from 'node:crypto'
import { link, open, readFile, type rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../domain/startup-error.ts'
import { ifPresent } from './program.ts'

export const ownSocketFolder = (folder: string): string => join(folder, 'socket')

type Secrets = { password: string; socketFolder: string }

const secretsPath = (folder: string): string => join(folder, 'postgres.json')

/** The first process makes the password; with it, all of them make the same cluster. */
export async function readPassword(folder: string, hasCluster: boolean): Promise<string> {
  if (!hasCluster && (await readSecrets(folder)) === undefined) {
    const password = randomBytes(24).toString('base64url')
    const secrets = { password, socketFolder: ownSocketFolder(folder) }
    await writeSecrets(folder, secrets, link).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'EEXIST') throw thrown
    })
  }
  const secrets = await readSecrets(folder)
  if (secrets?.password !== undefined) return secrets.password
  throw new StartupError(
    `${secretsPath(folder)} is ${secrets ? 'damaged' : 'missing'}: ` +
      'restore the one that belongs to the database.',
  )
}

/** Undefined when there is none, and empty when it is damaged. */
export async function readSecrets(folder: string): Promise<Partial<Secrets> | undefined> {
  const text = await ifPresent(readFile(secretsPath(folder), 'utf8'))
  if (text === undefined) return undefined
  try {
    const { password, socketFolder } = Object(JSON.parse(text)) as Record<string, unknown>
    if (typeof password !== 'string' || typeof socketFolder !== 'string') return {}
    return { password, socketFolder }
  } catch {
    return {}
  }
}

/** @param place puts the finished file in its place: `link` only where there is none */
export async function writeSecrets(
  folder: string,
  secrets: Secrets,
  place: typeof link | typeof rename,
): Promise<void> {
  const temporary = `${secretsPath(folder)}.${randomBytes(6).toString('hex')}`
  try {
    const content = `${JSON.stringify(secrets, undefined, 2)}\n`
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
    await place(temporary, secretsPath(folder))
    await syncFolder(folder)
  } finally {
    await rm(temporary, { force: true })
  }
}

export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
