// Which of the right names a wrong one was probably meant to be, for messages to operators.
import { distance } from 'fastest-levenshtein'

/**
 * The candidate nearest to what was written; of equally near ones, the first. A name may be cut
 * short to some of its words: `PROT` is nearest to the last word of `HTTPS_PORT`.
 */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  const distances = candidates.map((candidate) =>
    Math.min(
      distance(written, candidate),
      ...wordRuns(candidate).map((run) => distance(written, run) + cutShortPenalty),
    ),
  )
  return candidates[distances.indexOf(Math.min(...distances))]
}

/** Less than one edit, so that of two equally misspelt names the complete one wins. */
const cutShortPenalty = 0.5

/** `ADMIN_USER_NAME` → every run of consecutive words. */
function wordRuns(name: string): string[] {
  const words = name.split('_')
  return words.flatMap((_, from) =>
    words.slice(from).map((_, length) => words.slice(from, from + length + 1).join('_')),
  )
}
