// Strict JSON: one well-formed value without anything that two parsers could read differently.
import { refuse } from './errors.ts'

const depthMax = 16
const poisonous = new Set(['__proto__', 'constructor', 'prototype'])
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const stringLiterals = /"(?:[^"\\]|\\.)*"/gs

/**
 * Parses a request body (RFC 8259, I-JSON of RFC 7493). Refuses with `malformed_json`: bytes that
 * are not UTF-8, duplicate keys in any escaping, keys that name a prototype, lone surrogates, NUL,
 * nesting deeper than 16.
 *
 * @throws {@link Refusal} `malformed_json`
 */
export function parseJson(bytes: Buffer): unknown {
  let text: string
  let value: unknown
  try {
    text = decoder.decode(bytes)
    value = JSON.parse(text)
  } catch (thrown) {
    refuse('malformed_json', { because: thrown })
  }
  const keys = countKeys(value, 1)
  // JSON.parse keeps the last of duplicate keys: then the text has more colons than the value keys.
  if (keys > 0 && keys !== text.replace(stringLiterals, '').split(':').length - 1) {
    refuse('malformed_json', { because: 'duplicate key' })
  }
  return value
}

/** JSON in one form: the members of each object in the order of their names. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(
          Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : item,
  )

function countKeys(value: unknown, depth: number): number {
  if (typeof value === 'string') checkText(value)
  if (typeof value !== 'object' || value === null) return 0
  if (depth > depthMax) refuse('malformed_json', { because: 'too deep' })
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, item) => sum + countKeys(item, depth + 1), 0)
  }
  let keys = 0
  for (const [key, item] of Object.entries(value)) {
    if (poisonous.has(key)) refuse('malformed_json', { because: 'prototype key' })
    checkText(key)
    keys += 1 + countKeys(item, depth + 1)
  }
  return keys
}

function checkText(text: string): void {
  if (!text.isWellFormed()) refuse('malformed_json', { because: 'lone surrogate' })
  if (text.includes('\0')) refuse('malformed_json', { because: 'NUL' })
}
