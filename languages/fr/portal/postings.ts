// The texts in French of the bank’s own accounts and of what it books on them.
import type { texts as english } from '../../en/portal/postings.ts'

export const texts: typeof english = {
  bankAccount: {
    title: (name, currency) => `${name} (${currency})`,
    kind: 'Type',
    history: 'Opérations, de la plus récente à la plus ancienne',
    noEntry: 'Ce compte n’a encore aucune opération.',
    statement: 'Relevé',
    month: 'Mois',
    days: (zone) => `Les jours du mois sont ceux de ${zone}.`,
    formats: { pdf: 'PDF', csv: 'CSV', camt053: 'camt.053' },
  },
  posting: {
    title: 'Frais, intérêts ou correction',
    what: 'Ce qui est comptabilisé',
    bankAccount: 'Compte de la banque',
    confirm: 'Comptabiliser',
    done: 'C’est comptabilisé',
    another: 'Comptabiliser autre chose',
    forms: {
      fee: 'Prélever des frais',
      interestPaid: 'Verser des intérêts',
      interestCharged: 'Prélever des intérêts',
      correctionIn: 'Corriger\u00a0: créditer',
      correctionOut: 'Corriger\u00a0: débiter',
    },
  },
}
