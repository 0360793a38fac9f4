// The texts in Spanish of payments from other banks and of new accounts of the bank.
import type { texts as english } from '../../en/portal/rail.ts'

export const texts: typeof english = {
  incoming: {
    title: 'Pago de otro banco',
    details: 'Lo que ha llegado',
    iban: 'IBAN de la cuenta de destino',
    ibanHint: 'Una cuenta de este banco.',
    currency: 'Moneda',
    name: 'Nombre del pagador',
    debtorIban: 'IBAN del pagador (opcional)',
    reference: 'Concepto (opcional)',
    externalId: 'Número del pago (opcional)',
    externalIdHint:
      'El que le da el otro banco o el sistema de pagos. Con el mismo número se contabiliza una sola vez.',
    toSuspense: 'Dejarlo en «Importes pendientes» si no se puede abonar',
    confirm: 'Abonar',
    done: 'El pago está abonado',
    another: 'Contabilizar otro',
  },
  bankAccountNew: {
    title: 'Nueva cuenta del banco',
    details: 'La cuenta',
    meaning: 'Queda para siempre: los asientos la nombran de por vida.',
    name: 'Nombre',
    code: 'Código',
    codeHint: 'Minúsculas, cifras y guiones, por ejemplo card-scheme. No cambia más.',
    badCode: 'Un código tiene de 2 a 30 minúsculas, cifras o guiones, y empieza por una letra.',
    currency: 'Moneda',
    add: 'Añadir la cuenta',
    done: 'La cuenta se ha añadido',
    show: 'Mostrar la cuenta',
    look: 'Mirar si se añadió',
  },
}
