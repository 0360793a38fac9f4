// Heads of chains: the last entry of every account at some time, in a file outside of the database.
// A later rewrite of the books cannot reach it.
import { createHash } from 'node:crypto'
import { rfc3339 } from '../../domain/clock.ts'

export type Head = {
  accountId: string
  seq: bigint
  hash: string
  /** How many entries up to it are marks of payments. Older files, and those of days, have none. */
  markCount?: bigint
}

/** A head as a file has it, and as the digest over all heads takes it: before it its marks. */
export const headLine = ({ accountId, seq, hash, markCount = 0n }: Head): string =>
  (markCount > 0n ? remarkLine(`marks ${markCount}`) : '') + `${accountId} ${seq} ${hash}\n`

/** The last line of a file of heads. */
export const digestLine = (digest: string): string => `digest ${digest}\n`

/** A line of a file of heads that tells of something else. The digest is over it, too. */
export const remarkLine = (text: string): string => `# ${text}\n`

/** When the run began that wrote the file: what was committed before is in it. */
export const beginLine = (at: number): string => remarkLine(`from ${rfc3339(at)}`)

/** What the run proved, where that was not everything. */
export const newSinceLine = (digest: string): string => remarkLine(`new since ${digest}`)

/** The file does not hold heads, or not all of them. */
export class NoHeads extends Error {}

const headShape = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (0|[1-9]\d{0,18}) ([0-9a-f]{64})$/
const digestShape = /^digest ([0-9a-f]{64})$/
const beginShape = /^# from (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)$/
const marksShape = /^# marks (\d{1,19})$/
const lineLengthMax = 128

/** The digest over all lines, as the file itself gives it, and when its run began, if it says. */
export type Ending = { digest: string; from: number | undefined }

/**
 * The heads of a file, in the order of their accounts, one at a time.
 *
 * @throws {@link NoHeads} at the first line that is wrong, or when the digest is
 */
export async function* readHeads(text: AsyncIterable<string>): AsyncGenerator<Head, Ending> {
  const computed = createHash('sha256')
  let digest: string | undefined
  let from: number | undefined
  let markCount = 0n
  let before = ''
  let number = 0
  for await (const line of splitLines(text)) {
    number++
    if (digest !== undefined) throw new NoHeads(`line ${number} stands behind the digest`)
    digest = digestShape.exec(line)?.[1]
    if (digest !== undefined) continue
    if (line.startsWith('# ')) {
      computed.update(`${line}\n`)
      markCount = BigInt(marksShape.exec(line)?.[1] ?? 0)
      const begin = beginShape.exec(line)?.[1]
      if (begin !== undefined) from = Date.parse(begin)
      continue
    }
    const [, accountId, seq, hash] = headShape.exec(line) ?? []
    if (accountId === undefined || seq === undefined || hash === undefined) {
      throw new NoHeads(`line ${number} is not a head`)
    }
    if (accountId <= before) throw new NoHeads(`line ${number} is not in the order of accounts`)
    before = accountId
    computed.update(`${line}\n`)
    yield { accountId, seq: BigInt(seq), hash, markCount }
    markCount = 0n
  }
  if (digest === undefined) throw new NoHeads('its last line, the digest, is missing')
  if (digest !== computed.digest('hex')) throw new NoHeads('its digest is not that of its heads')
  return { digest, from }
}

/** Lines without their line feeds. A line without an end is not read into memory. */
async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > lineLengthMax) throw new NoHeads('it has a line that is too long')
  }
  if (rest !== '') yield rest
}

/** Heads page by page, in step with the accounts: `upTo` gives those of accounts up to that one. */
export function pageHeads(heads: AsyncIterable<Head> = none()): {
  upTo(lastId: string): AsyncGenerator<Head>
} {
  const iterator = heads[Symbol.asyncIterator]()
  let next: IteratorResult<Head, unknown> | undefined
  return {
    async *upTo(lastId) {
      // Ends with the heads, or at the first of a later account.
      for (;;) {
        next ??= await iterator.next()
        if (next.done === true || next.value.accountId > lastId) return
        yield next.value
        next = undefined
      }
    },
  }
}

async function* none(): AsyncGenerator<never> {}
