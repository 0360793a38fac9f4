// The texts in German of what has changed on the accounts while a page is open.
import type { texts as english } from '../../en/portal/news.ts'

export const texts: typeof english = {
  news: {
    arrived: (money, name) =>
      name ? `Geldeingang: ${money} von ${name}.` : `Geldeingang: ${money}.`,
    manyArrived: (count) => `${count} Zahlungen sind eingegangen.`,
    changed: 'Salden oder Umsätze haben sich geändert.',
    show: 'Anzeigen',
  },
}
