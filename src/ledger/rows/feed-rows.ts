// Rows of the feed of events, each of one word: a batch writes few of them for what it tells of
// many things.

/**
 * Numbers the rows that events stand in: those of one word share a row as far as what is told of
 * each thing keeps the order in which it happened.
 */
export function withRows<Event extends { id: string; word: string }>(
  events: readonly Event[],
): (Event & { row: number })[] {
  const words: string[] = []
  const last = new Map<string, number>()
  return events.map((event) => {
    const { id, word } = event
    const found = words.indexOf(word, last.get(id))
    const row = found === -1 ? words.push(word) - 1 : found
    last.set(id, row)
    return { ...event, row }
  })
}
