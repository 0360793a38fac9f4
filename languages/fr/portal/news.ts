// The texts in French of what has changed on the accounts while a page is open.
import type { texts as english } from '../../en/portal/news.ts'

export const texts: typeof english = {
  news: {
    arrived: (money, name) =>
      name ? `Vous avez reçu ${money} de ${name}.` : `Vous avez reçu ${money}.`,
    manyArrived: (count) => `Vous avez reçu ${count} paiements.`,
    changed: 'Les soldes ou les opérations ont changé.',
    show: 'Afficher',
  },
}
