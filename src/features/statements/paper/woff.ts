// Fonts in WOFF, version 1 (W3C): an OpenType font whose tables are compressed.
import { inflateSync } from 'node:zlib'

const headerLength = 12
const recordLength = 16

/** The font as OpenType (ISO/IEC 14496-22). fontkit would inflate a table once a glyph. */
export function unpackWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('A font is not in WOFF')
  const count = woff.readUInt16BE(12)
  const log = Math.floor(Math.log2(count))
  const header = Buffer.alloc(headerLength + count * recordLength)
  woff.copy(header, 0, 4, 8)
  const sizes = [count, 2 ** log * 16, log, (count - 2 ** log) * 16]
  sizes.forEach((size, index) => header.writeUInt16BE(size, 4 + index * 2))
  const parts: Buffer[] = [header]
  let offset = header.length
  for (let index = 0; index < count; index++) {
    const entry = 44 + index * 20
    const place = woff.readUInt32BE(entry + 4)
    const [packedLength, length] = [woff.readUInt32BE(entry + 8), woff.readUInt32BE(entry + 12)]
    const packed = woff.subarray(place, place + packedLength)
    const table = packedLength < length ? inflateSync(packed) : packed
    const record = headerLength + index * recordLength
    woff.copy(header, record, entry, entry + 4)
    woff.copy(header, record + 4, entry + 16, entry + 20)
    header.writeUInt32BE(offset, record + 8)
    header.writeUInt32BE(length, record + 12)
    // Tables begin at multiples of four bytes.
    parts.push(table, Buffer.alloc(-length & 3))
    offset += length + (-length & 3)
  }
  return Buffer.concat(parts)
}
