// The texts in French of the sum of entries that were searched, and of their file.
import type { texts as english } from '../../en/portal/filtered.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  filtered: {
    quoted: (text) => `«\u00a0${text}\u00a0»`,
    noneFound: (hasMore) =>
      hasMore
        ? 'Aucune opération récente ne correspond aux filtres. Les plus anciennes restent à chercher.'
        : 'Aucune opération ne correspond aux filtres.',
    sum: (count) => `Somme de ${plural(count, 'opération', 'opérations')}`,
    addUp: 'Tout additionner',
    download: 'Télécharger (CSV)',
    reading: (count) =>
      `Lecture\u00a0: ${plural(count, 'opération', 'opérations')} pour l’instant.`,
    tooMany: (most) =>
      `Jusqu’à ${most} opérations sont additionnées et téléchargées ici. Veuillez choisir une période plus courte, ou un relevé.`,
    day: 'Jour',
    kind: 'Type',
    name: 'Nom',
    currency: 'Devise',
  },
}
