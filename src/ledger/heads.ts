// Heads of chains: the last entry of every account at some time, in a file outside of the database.
// A later rewrite of the books cannot reach it.
import { createHash } from 'node:crypto'

export type Head = { accountId: string; seq: bigint; hash: string }

/** How a head stands in a file, and under the digest over all of them. */
export const lineOfHead = ({ accountId, seq, hash }: Head): string =>
  `${accountId} ${seq} ${hash}\n`

/** The last line of a file of heads. */
export const lineOfDigest = (digest: string): string => `digest ${digest}\n`

/** The file holds something else than heads, or not all of them. */
export class NoHeads extends Error {}

const headShape = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (0|[1-9]\d{0,18}) ([0-9a-f]{64})$/
const digestShape = /^digest ([0-9a-f]{64})$/
const lineLengthMax = 128

/**
 * The heads of a file, in the order of their accounts, one at a time.
 *
 * @returns the digest over them, as the file itself gives it
 * @throws {@link NoHeads} at the first line that is wrong, or when the digest is
 */
export async function* readHeads(text: AsyncIterable<string>): AsyncGenerator<Head, string> {
  const computed = createHash('sha256')
  let digest: string | undefined
  let before = ''
  let number = 0
  for await (const line of linesOf(text)) {
    number++
    if (digest !== undefined) throw new NoHeads(`line ${number} stands behind the digest`)
    digest = digestShape.exec(line)?.[1]
    if (digest !== undefined) continue
    const [, accountId, seq, hash] = headShape.exec(line) ?? []
    if (accountId === undefined || seq === undefined || hash === undefined) {
      throw new NoHeads(`line ${number} is not a head`)
    }
    if (accountId <= before) throw new NoHeads(`line ${number} is not in the order of accounts`)
    before = accountId
    computed.update(`${line}\n`)
    yield { accountId, seq: BigInt(seq), hash }
  }
  if (digest === undefined) throw new NoHeads('its last line, the digest, is missing')
  if (digest !== computed.digest('hex')) throw new NoHeads('its digest is not that of its heads')
  return digest
}

/** Lines without their ends. A line that never ends is not read into memory. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > lineLengthMax) throw new NoHeads('it has a line that is too long')
  }
  if (rest !== '') yield rest
}

/** Gives earlier heads page by page, in step with the accounts. */
export function matchHeads(heads: AsyncIterable<Head> | undefined): {
  /** Gives each head of an account up to that one that was not given before. */
  upTo(lastId: string, give: (head: Head) => void): Promise<void>
} {
  const iterator = heads?.[Symbol.asyncIterator]()
  let ahead: IteratorResult<Head, unknown> | undefined
  return {
    async upTo(lastId, give) {
      for (;;) {
        ahead ??= await iterator?.next()
        if (!ahead || ahead.done === true || ahead.value.accountId > lastId) return
        give(ahead.value)
        ahead = undefined
      }
    },
  }
}
