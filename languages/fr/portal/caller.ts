// The texts in French of what a caller asks of, on the page of a person.
import type { texts as english } from '../../en/portal/caller.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  caller: {
    events: 'Derniers événements',
    refused: 'Refusé récemment',
    noRefused: 'Rien n’a été refusé.',
    payees: 'Bénéficiaires',
    noPayees: 'Cette personne n’a enregistré aucun bénéficiaire.',
    deactivated: 'Désactivé',
    trusted: 'De confiance',
    added: 'Ajouté',
    factors: 'Seconds facteurs',
    noFactor: 'Aucun second facteur\u00a0: le mot de passe seul ouvre la banque.',
    mustEnrol: 'Pas encore de second facteur\u00a0: la prochaine connexion en demandera un.',
    codesLeft: (count) => `Encore ${plural(count, 'code de secours', 'codes de secours')}.`,
  },
}
