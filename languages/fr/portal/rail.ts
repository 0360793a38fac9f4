// The texts in French of payments from other banks and of new accounts of the bank.
import type { texts as english } from '../../en/portal/rail.ts'

export const texts: typeof english = {
  incoming: {
    title: 'Paiement d’une autre banque',
    details: 'Ce qui est arrivé',
    iban: 'IBAN du compte destinataire',
    ibanHint: 'Un compte de cette banque.',
    currency: 'Devise',
    name: 'Nom du payeur',
    debtorIban: 'IBAN du payeur (facultatif)',
    reference: 'Référence (facultatif)',
    externalId: 'Numéro du paiement (facultatif)',
    externalIdHint:
      'Celui que l’autre banque ou le système de paiement lui donne. Avec le même numéro, il est comptabilisé une seule fois.',
    toSuspense: 'Le garder dans «\u00a0Montants en attente\u00a0» s’il ne peut pas être crédité',
    confirm: 'Créditer',
    done: 'Le paiement est crédité',
    another: 'En comptabiliser un autre',
  },
  bankAccountNew: {
    title: 'Nouveau compte de la banque',
    details: 'Le compte',
    meaning: 'Il reste pour toujours\u00a0: les écritures le nomment à jamais.',
    name: 'Nom',
    code: 'Code',
    codeHint: 'Minuscules, chiffres et traits d’union, par exemple card-scheme. Il ne change plus.',
    badCode: 'Un code a 2 à 30 minuscules, chiffres ou traits d’union, et commence par une lettre.',
    currency: 'Devise',
    add: 'Ajouter le compte',
    done: 'Le compte est ajouté',
    show: 'Afficher le compte',
    look: 'Vérifier s’il a été ajouté',
  },
}
