// The texts in French of what was spent.
import type { texts as english } from '../../en/portal/insight.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  insight: {
    month: 'Mois',
    all: 'En tout',
    soFar: (month) => `${month}, jusqu’ici`,
    own: 'Viré vers vos propres comptes, non compté\u00a0:',
    note: 'Les remboursements et les virements retournés sont déduits le mois où ils sont arrivés.',
    byKind: 'Par type',
    byShop: 'Par commerce',
    what: 'Pour quoi',
    change: 'Évolution',
    drawn: (title) => `${title}, en barres. Le tableau contient les montants.`,
    caption: (zone) => `Mois en ${zone}, les plus grands d’abord.`,
    moreShops: (count) => plural(count, 'autre commerce', 'autres commerces'),
    nothing: 'Rien n’a été dépensé pendant ces deux mois.',
    tooMany: 'Ces deux mois comptent plus de 25 000 opérations, trop pour les additionner.',
    kinds: {
      transfer: 'Virements',
      withdrawal: 'Retraits',
      capture: 'Montants réservés',
      fee: 'Frais',
      interest: 'Intérêts',
      correction: 'Corrections',
    },
    shopKinds: {
      groceries: 'Alimentation',
      eating: 'Restaurants et cafés',
      home: 'Maison et jardin',
      clothes: 'Vêtements et chaussures',
      health: 'Santé et soins',
      transport: 'Transports locaux',
      car: 'Voiture',
      travel: 'Voyages',
      leisure: 'Loisirs et médias',
      devices: 'Téléphone et appareils',
      services: 'Factures du foyer',
      learning: 'Éducation',
      cash: 'Espèces par carte',
      otherShops: 'Autres commerces',
      erased: 'N’est plus conservé',
    },
  },
}
