// The texts in German of the sum of entries that were searched, and of their file.
import type { texts as english } from '../../en/portal/filtered.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  filtered: {
    quoted: (text) => `„${text}“`,
    noneFound: (hasMore) =>
      hasMore
        ? 'Kein neuerer Umsatz passt zu den Filtern. Ältere sind noch nicht durchsucht.'
        : 'Kein Umsatz passt zu den Filtern.',
    sum: (count) => `Summe von ${plural(count, 'Umsatz', 'Umsätzen')}`,
    addUp: 'Alle addieren',
    download: 'Herunterladen (CSV)',
    reading: (count) => `Wird gelesen: bisher ${plural(count, 'Umsatz', 'Umsätze')}.`,
    tooMany: (most) =>
      `Bis zu ${most} Umsätze werden hier addiert und heruntergeladen. Bitte wählen Sie einen kürzeren Zeitraum oder nehmen Sie einen Kontoauszug.`,
    day: 'Tag',
    kind: 'Art',
    name: 'Name',
    currency: 'Währung',
  },
}
