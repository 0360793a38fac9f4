// Writes the data files of a base backup. The archive is not trusted: it may have been changed in
// its storage. A server takes orders from files beside its data (settings, signals, commands of a
// recovery, rules of access), so those are written here and not taken from the archive. Orders in
// the data themselves, such as a trigger, cannot be told from the bank's own: only a digest that
// was kept elsewhere excludes them.
import { chmod, chown, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../domain/startup-error.ts'
import type { Program } from './program.ts'

type Place = { into: string; account: Program['account'] }

/** What PostgreSQL reads beside its data. The service gives its settings on the command line. */
const ownFiles = {
  'postgresql.conf': '# Strongroom gives its settings on the command line.\n',
  'pg_hba.conf': 'local all all scram-sha-256\nlocal replication all scram-sha-256\n',
  'pg_ident.conf': '# No names of the system.\n',
}

/** The data files of PostgreSQL, and nothing that it finds beside them. */
const dataName = /^(PG_VERSION|backup_label|(base|global|pg_[a-z_]+)(\/[\w.-]+)*)$/

const unusable = (reason: string): never => {
  throw new StartupError(`The archive of the backup cannot be used: ${reason}.`)
}

/**
 * Writes the data files of such an archive into an empty folder, for PostgreSQL's account. Folders
 * have the mode 0700 and files 0600, whatever the archive says.
 *
 * @param into must be closed to every account but that of this process until this has ended
 * @throws {StartupError} when the archive is cut off, or holds what no base backup holds: a link, a
 * device, a path that leads elsewhere, or a file twice
 */
export async function unpackBaseBackup(
  archive: AsyncIterable<Buffer>,
  into: string,
  { account }: Pick<Program, 'account'>,
): Promise<void> {
  const place = { into, account }
  const { bytes, readToEnd, close } = readerOf(archive)
  try {
    // Ends at the empty block behind the last file, and by an error where the archive ends before.
    for (;;) {
      let header = Buffer.alloc(0)
      for await (const part of bytes(blockBytes)) header = Buffer.concat([header, part])
      if (header.every((byte) => byte === 0)) break
      const { name, isFolder, size } = readHeader(header)
      const content = bytes(size)
      if (dataName.test(name)) await (isFolder ? addFolder : addFile)(place, name, content)
      for await (const _ of content);
      for await (const _ of bytes(-size & (blockBytes - 1)));
    }
    // The reader of the backup compares its sum at the end.
    await readToEnd()
  } finally {
    await close()
  }
  for (const [name, text] of Object.entries(ownFiles)) await addFile(place, name, [text])
}

const blockBytes = 512

function readerOf(archive: AsyncIterable<Buffer>) {
  const chunks = archive[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  async function* bytes(count: number): AsyncGenerator<Buffer, void> {
    for (let left = count; left > 0;) {
      while (rest.length === 0) {
        const next = await chunks.next()
        if (next.done) return unusable('it is cut off')
        rest = next.value
      }
      const part = rest.subarray(0, left)
      rest = rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }
  async function readToEnd(): Promise<void> {
    while (!(await chunks.next()).done);
  }
  const close = async () => void (await chunks.return?.())
  return { bytes, readToEnd, close }
}

/** As PostgreSQL writes it: POSIX.1-1988, ustar. */
function readHeader(header: Buffer): { name: string; isFolder: boolean; size: number } {
  const field = (from: number, to: number) =>
    header.toString('utf8', from, to).replace(/[ \0].*$/s, '')
  if (field(257, 263) !== 'ustar') return unusable('it is no archive of PostgreSQL')
  const [size, type] = [field(124, 136), field(156, 157)]
  const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '').replace(/^\.\//, '')
  const isFolder = type === '5'
  const isPlain = name
    .replace(/\/$/, '')
    .split('/')
    .every((part) => !['', '.', '..'].includes(part))
  const isOfBackup = isPlain && (isFolder ? /^0+$/ : /^[0-7]{1,11}$/).test(size)
  if (!isOfBackup || !(isFolder || type === '0')) {
    return unusable(`it holds ${name.replace(/[^ -~]/g, '?')}, which no backup of PostgreSQL holds`)
  }
  return { name: name.replace(/\/$/, ''), isFolder, size: parseInt(size, 8) }
}

type Content = AsyncIterable<Buffer> | readonly string[]

async function addFile({ into, account }: Place, name: string, content: Content): Promise<void> {
  const handle = await open(join(into, name), 'wx', 0o600).catch(notInPlace(name))
  try {
    await handle.chmod(0o600)
    if (account) await handle.chown(account.uid, account.gid)
    await handle.writeFile(content)
  } finally {
    await handle.close()
  }
}

async function addFolder({ into, account }: Place, name: string): Promise<void> {
  const path = join(into, name)
  await mkdir(path, { mode: 0o700 }).catch(notInPlace(name))
  await chmod(path, 0o700)
  if (account) await chown(path, account.uid, account.gid)
}

const notInPlace = (name: string) => (thrown: NodeJS.ErrnoException) => {
  const isOfArchive = ['EEXIST', 'ENOENT', 'ENOTDIR'].includes(thrown.code ?? '')
  if (isOfArchive) unusable(`it holds ${name} twice, or without its folder`)
  throw thrown
}
