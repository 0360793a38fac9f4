// The texts in French of payees.
import type { texts as english } from '../../en/portal/payees.ts'

import { plural } from '../plural.ts'

export const texts: typeof english = {
  beneficiaries: {
    title: 'Bénéficiaires',
    list: 'Bénéficiaires enregistrés',
    add: 'Ajouter un bénéficiaire',
    added: 'Le bénéficiaire a été ajouté.',
    none: 'Il n’y a pas encore de bénéficiaire. Ajoutez-en un pour payer quelqu’un d’autre.',
    deactivated: 'Désactivé',
    pay: 'Payer',
    trusted: 'De confiance',
    trust: 'Faire confiance',
    untrust: 'Retirer la confiance',
    deactivate: 'Désactiver',
    reactivate: 'Réactiver',
    turned: {
      deactivate: (name) =>
        `${name} est désactivé et ne peut plus être payé avant sa réactivation.`,
      reactivate: (name) => `${name} est de nouveau actif.`,
      trust: (name) => `Les virements à ${name} ne sont plus confirmés par un second facteur.`,
      untrust: (name) => `${name} n’est plus de confiance.`,
    },
    remove: 'Supprimer',
    removeTitle: (name) => `Supprimer ${name}\u00a0?`,
    removeText:
      'C’est définitif\u00a0: pour le payer de nouveau, il faut l’ajouter encore. Les virements passés restent tels quels. Pour une pause, désactivez-le plutôt.',
    removeForGood: 'Supprimer définitivement',
    removed: (name) => `${name} a été supprimé.`,
    name: 'Nom',
    nameHint: 'De la personne ou de l’entreprise titulaire du compte',
    paste: 'Vous pouvez coller le texte d’un code QR de paiement\u00a0: il remplit tout.',
    pasted:
      'Le code QR a rempli le bénéficiaire, le montant et le motif. Veuillez les comparer avec la facture.',
    iban: 'IBAN',
    ibanHint: 'Avec ou sans espaces',
    nickname: 'Surnom',
    nicknameHint: 'Facultatif. Vous seul le voyez.',
    save: 'Enregistrer',
    once: 'Pour ce virement seulement\u00a0: ne pas garder le bénéficiaire',
    toPayment: 'Continuer vers le virement',
    closeMatch: (name) =>
      `Le compte appartient à ${name}. Comparez avec le nom que vous avez écrit.`,
    useName: (name) => `Écrire ${name}`,
    noMatch:
      'Le compte appartient à quelqu’un d’autre. Demandez au bénéficiaire avant de continuer.',
    notCompared:
      'Le nom n’a pas pu être comparé à celui du titulaire. Comparez l’IBAN avec la facture et, en cas de doute, demandez au bénéficiaire.',
    goOn: 'Continuer avec mon nom',
    savedAlready: 'Ce compte a déjà un bénéficiaire avec cet IBAN.',
    badIban: 'Ce n’est pas un IBAN. Veuillez le comparer à nouveau.',
    ownIban: 'C’est l’IBAN du compte lui-même. Un paiement vers lui ne changerait rien.',
    search: 'Nom ou partie de l’IBAN',
    noneFound: 'Rien ne correspond.',
  },
  whom: {
    title: 'Qui payez-vous\u00a0?',
    search: 'Nom, IBAN ou texte d’un code QR',
    last: 'Derniers payés',
    somebody: 'Quelqu’un de nouveau',
    somebodyNote: 'Nom et IBAN\u00a0; le nom est comparé avant de payer',
    found: (count) => plural(count, 'bénéficiaire correspond', 'bénéficiaires correspondent'),
  },
}
