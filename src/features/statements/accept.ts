// Content negotiation (RFC 9110 section 12.5.1).

/**
 * The key of the offered media type that the client prefers; the first of equals, and the first of
 * all without a preference. Undefined when the client accepts none of them.
 */
export function chooseMediaType<K extends string>(
  accept: string | undefined,
  offered: Readonly<Record<K, string>>,
): K | undefined {
  const keys = Object.keys(offered) as K[]
  if (accept === undefined || accept.trim() === '') return keys[0]
  const ranges = accept.split(',').map(parseRange)
  const weights = keys.map((key) => findWeight(offered[key], ranges))
  const weightMax = Math.max(...weights)
  return weightMax > 0 ? keys[weights.indexOf(weightMax)] : undefined
}

type Range = { type: string; weight: number }

/** A malformed range accepts nothing. Parameters of a media type are ignored. */
function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  const isWeight = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality)
  return { type, weight: isWeight ? Math.round(+quality * 1000) : 0 }
}

/** The weight of the most specific range that matches, even if it is 0. */
function findWeight(type: string, ranges: readonly Range[]): number {
  const matching = [type, type.replace(/\/.*/, '/*'), '*/*']
  const found = matching.map((name) => ranges.find((range) => range.type === name)).find(Boolean)
  return found?.weight ?? 0
}
