// The texts in Spanish of what becomes of a payment to another bank, for its payer.
import type { texts as english } from '../../en/portal/payment-state.ts'

export const texts: typeof english = {
  paymentState: {
    states: {
      pending: 'Puede cancelarlo hasta que el banco lo envíe.',
      sent: 'El otro banco aún no lo ha confirmado. Ya no se puede cancelar.',
      completed: 'Ha llegado al otro banco.',
      returned: 'El otro banco devolvió el dinero.',
      cancelled: 'Se canceló antes de enviarse.',
    },
    leaves: (day, by) => `Sale el ${day} y llega a más tardar el ${by}.`,
    broughtBack: 'El dinero volvió: ver ese movimiento',
    monthly: 'Pagar cada mes',
    again: 'Pagar otra vez',
    arrived: 'Ha llegado.',
    why: 'Motivo',
    reasons: {
      account: 'No hay ninguna cuenta con ese número.',
      closed: 'La cuenta del beneficiario está cerrada.',
      blocked: 'La cuenta del beneficiario está bloqueada.',
      duplicate: 'Se pagó dos veces.',
      asked: 'Se pidió la devolución del dinero.',
      changed: 'Los datos de la cuenta del beneficiario han cambiado.',
      kind: 'La cuenta del beneficiario no admite pagos de este tipo.',
      amount: 'El otro banco no admite este importe o esta divisa.',
      name: 'El nombre no coincide con la cuenta.',
      details: 'Faltan datos del ordenante o del beneficiario, o son erróneos.',
      bank: 'No se puede llegar al banco del beneficiario con estos datos.',
      technical: 'Hubo un problema en el otro banco.',
      unowed: 'El beneficiario dice que no se debe nada.',
      law: 'La ley no permite al otro banco aceptarlo.',
      unsaid: 'El otro banco no dice por qué.',
      refused: 'El otro banco no lo aceptó.',
    },
    otherReason: (code) => `El otro banco no lo aceptó. Dio el código ${code}.`,
    cancel: 'Cancelar el pago',
    title: (money) => `¿Cancelar el pago de ${money}?`,
    text: 'No se envía, y el dinero vuelve enseguida a su cuenta.',
    keep: 'Mantenerlo',
    done: 'El pago está cancelado. El dinero está de nuevo en su cuenta.',
  },
}
