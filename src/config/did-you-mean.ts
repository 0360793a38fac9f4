// Which of the right names a wrong one was probably meant to be, for messages to operators.

/**
 * The candidate nearest to what was written; of equally near ones, the first. A name may be cut
 * short to some of its words: `PROT` is one slip away from the last word of `HTTPS_PORT`.
 */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let min = Infinity
  for (const candidate of candidates) {
    const distance = Math.min(
      slips(written, candidate),
      ...wordRuns(candidate).map((run) => slips(written, run) + cutShort),
    )
    if (distance < min) [best, min] = [candidate, distance]
  }
  return best
}

/** Less than one slip, so that of two equally misspelt names the complete one wins. */
const cutShort = 0.5

/** `ADMIN_USER_NAME` → every run of its words that follow each other. */
function wordRuns(name: string): string[] {
  const words = name.split('_')
  return words.flatMap((_, from) =>
    words.slice(from).map((_, length) => words.slice(from, from + length + 1).join('_')),
  )
}

/** Letters to add, drop, change or swap with a neighbour (optimal string alignment distance). */
function slips(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          (last[column] ?? Infinity) + 1,
          (current[column - 1] ?? Infinity) + 1,
          (last[column - 1] ?? Infinity) + change,
          isSwap ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? Infinity
}
