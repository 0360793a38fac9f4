// The texts in Spanish of what is reserved in an account, and of its former bank.
import type { texts as english } from '../../en/portal/holds.ts'

export const texts: typeof english = {
  hold: {
    kinds: {
      authorization: 'Pago con tarjeta',
      seizure: 'Embargo',
      dispute: 'Reclamación',
    },
    until: (at) => `hasta el ${at}`,
    open: 'hasta que el banco lo libere',
  },
  reserved: {
    title: 'Retenido',
    note: 'Este dinero sigue en la cuenta y no se puede gastar.',
    none: 'Ya no hay nada retenido.',
    cardPayments: 'Todos los pagos con tarjeta',
  },
  formerEntries: {
    title: 'Movimientos de su banco anterior',
    note: 'Los contabilizó su banco anterior. No forman parte de nuestros libros, saldos ni extractos.',
    staffNote:
      'Los contabilizó el banco anterior. No forman parte de los libros, saldos ni extractos de este banco.',
    none: 'El banco anterior no contabilizó nada en esta cuenta.',
  },
  staffHolds: {
    title: 'Importes retenidos',
    none: 'No hay nada retenido en esta cuenta.',
    place: 'Retener un importe',
    placeText: 'Un importe retenido permanece en la cuenta y no puede salir de ella.',
    kind: 'Tipo',
    reasonHint: 'El titular lo ve.',
    untilDay: 'Retenido hasta el final del',
    untilHint: 'Opcional: sin día, hasta que se libere. Como máximo 400 días.',
    badDay: 'Elija un día a partir de hoy, como máximo dentro de 400 días.',
    placed: (money) => `${money} están retenidos.`,
    release: 'Liberar',
    releaseTitle: (money) => `¿Liberar ${money}?`,
    releaseText: 'El dinero se puede volver a gastar de inmediato.',
    released: (money) => `${money} están liberados.`,
    change: 'Cambiar el día',
    changed: 'El día se ha cambiado.',
    of: (what) => `retención ${what}`,
  },
}
