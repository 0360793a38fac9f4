// The texts in English of the sum of entries that were searched, and of their file.
import { plural } from '../plural.ts'

export const texts = {
  filtered: {
    quoted: (text: string) => `“${text}”`,
    noneFound: (hasMore: boolean): string =>
      hasMore
        ? 'No newer entry matches the filters. Older ones are still to be searched.'
        : 'No entry matches the filters.',
    sum: (count: number) => `Sum of ${plural(count, 'entry', 'entries')}`,
    addUp: 'Add up all',
    download: 'Download (CSV)',
    reading: (count: number) => `Reading: ${plural(count, 'entry', 'entries')} so far.`,
    tooMany: (most: string) =>
      `Up to ${most} entries are added up and downloaded here. Please choose a shorter period, or take a statement.`,
    day: 'Day',
    kind: 'Kind',
    name: 'Name',
    currency: 'Currency',
  },
}
