// The texts in Spanish of payments that staff have looked up.
import type { texts as english } from '../../en/portal/found.ts'

export const texts: typeof english = {
  found: {
    title: 'Pagos',
    none: 'No se encontró ningún pago.',
    late: 'Un pago se encuentra unos segundos después de hacerse. Lo rechazado se conserva 90 días.',
    kinds: {
      transfer: 'Pago',
      cardPayment: 'Pago con tarjeta',
      hold: 'Importe retenido',
      refused: 'Pago rechazado',
    },
    refusedRun: 'Ejecución rechazada de una orden permanente',
    to: (target) => `a ${target}`,
    transfers: {
      completed: 'Completado',
      pending: 'Pendiente',
      returned: 'Devuelto',
      sent: 'Enviado',
      cancelled: 'Cancelado',
    },
    cardPayments: {
      authorized: 'Retenido',
      captured: 'Pagado',
      released: 'Liberado',
      expired: 'Vencido',
      declined: 'Rechazado',
    },
    holds: {
      active: 'Retenido',
      captured: 'Cobrado',
      released: 'Liberado',
      expired: 'Vencido',
    },
    reasons: {
      credits_blocked: 'cuenta del beneficiario sin admitir dinero',
      debits_blocked: 'restricción de los pagos desde la cuenta',
      insufficient_funds: 'saldo insuficiente',
      limit_exceeded: 'por encima de un límite',
      account_frozen: 'cuenta bloqueada',
      account_closed: 'cuenta del beneficiario cerrada',
      beneficiary_inactive: 'beneficiario desactivado',
      beneficiary_cooling: 'beneficiario demasiado nuevo tras una recuperación',
      not_found: 'beneficiario eliminado',
      currency_mismatch: 'divisas distintas',
      forbidden: 'sin derecho a pagar desde la cuenta',
      duplicate_transfer: 'el mismo pago momentos antes',
      payee_not_accepted: 'el nombre del beneficiario no coincide',
    },
    otherReason: 'no es posible',
  },
}
