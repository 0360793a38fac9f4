// Archives as PostgreSQL writes them (POSIX.1-1988, ustar), with entries that it does not write.

export type Entry = {
  name: string
  content?: string | Buffer
  type?: string
  target?: string
  mode?: string
  /** Whether an earlier file of that name is left out. */
  replaces?: boolean
}

export function tarEntry({
  name,
  content = '',
  type = '0',
  target = '',
  mode = '0000600',
}: Entry): Buffer {
  const header = Buffer.alloc(512)
  const body = Buffer.from(content)
  header.write(name, 0)
  header.write(`${mode} 0000000 0000000 `, 100)
  header.write(`${body.length.toString(8).padStart(11, '0')} 00000000000 `, 124)
  header.write(`        ${type}${target}`, 148)
  header.write('ustar\0', 257)
  header.write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, body, Buffer.alloc(-body.length & 511)])
}

/** The archive without those files, and with these at its end, where they override others. */
export const withEntries =
  (...entries: Entry[]) =>
  (archive: Buffer): Buffer => {
    const parts: Buffer[] = []
    for (let at = 0; archive[at] !== 0;) {
      const size = parseInt(archive.toString('utf8', at + 124, at + 135), 8)
      const next = at + 512 + Math.ceil(size / 512) * 512
      const name = archive.toString('utf8', at, at + 100).replace(/\0.*/s, '')
      if (!entries.some((entry) => entry.replaces && entry.name === name)) {
        parts.push(archive.subarray(at, next))
      }
      at = next
    }
    return Buffer.concat([...parts, ...entries.map(tarEntry), Buffer.alloc(1024)])
  }
