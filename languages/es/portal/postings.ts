// The texts in Spanish of the bank’s own accounts and of what it books on them.
import type { texts as english } from '../../en/portal/postings.ts'

export const texts: typeof english = {
  bankAccount: {
    title: (name, currency) => `${name} (${currency})`,
    kind: 'Tipo',
    history: 'Movimientos, el más reciente primero',
    noEntry: 'Esta cuenta aún no tiene movimientos.',
    statement: 'Extracto',
    month: 'Mes',
    days: (zone) => `Los días del mes son los de ${zone}.`,
    formats: { pdf: 'PDF', csv: 'CSV', camt053: 'camt.053' },
  },
  posting: {
    title: 'Comisión, intereses o corrección',
    what: 'Qué se contabiliza',
    bankAccount: 'Cuenta del banco',
    confirm: 'Contabilizar',
    done: 'Está contabilizado',
    another: 'Contabilizar otra cosa',
    forms: {
      fee: 'Cobrar una comisión',
      interestPaid: 'Pagar intereses',
      interestCharged: 'Cobrar intereses',
      correctionIn: 'Corregir: abonar',
      correctionOut: 'Corregir: cargar',
    },
  },
}
