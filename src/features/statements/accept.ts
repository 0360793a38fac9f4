// Which of the offered media types a client takes (RFC 9110 section 12.5.1).

/**
 * The offered type the client prefers; the first of equals, and of all when it does not say.
 * Undefined when it takes none of them.
 */
export function chooseMediaType<T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0]
  const ranges = accept.split(',').map(parseRange)
  const weights = offered.map((type) => rangeWeight(type, ranges))
  const most = Math.max(...weights)
  return most > 0 ? offered[weights.indexOf(most)] : undefined
}

type Range = { type: string; weight: number }

/** A range that is not well formed takes nothing. Parameters of a type narrow nothing we offer. */
function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  const isWeight = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality)
  return { type, weight: isWeight ? Math.round(+quality * 1000) : 0 }
}

/** Of the ranges that hold the type, the most specific one counts, also when it says no. */
function rangeWeight(type: string, ranges: readonly Range[]): number {
  const matching = [type, type.replace(/\/.*/, '/*'), '*/*']
  const range = matching.map((each) => ranges.find((one) => one.type === each)).find(Boolean)
  return range?.weight ?? 0
}
