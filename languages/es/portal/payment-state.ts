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
    why: 'Motivo',
    reasons: {
      account: 'No hay ninguna cuenta con ese número.',
      closed: 'La cuenta del beneficiario está cerrada.',
      blocked: 'La cuenta del beneficiario está bloqueada.',
      duplicate: 'Se pagó dos veces.',
      asked: 'Se pidió la devolución del dinero.',
    },
    otherReason: (code) => `El otro banco dio el código ${code}.`,
    cancel: 'Cancelar el pago',
    title: (money) => `¿Cancelar el pago de ${money}?`,
    text: 'No se envía, y el dinero vuelve enseguida a su cuenta.',
    keep: 'Mantenerlo',
    done: 'El pago está cancelado. El dinero está de nuevo en su cuenta.',
  },
}
