// What a person reads of a disputed card payment, and staff of those that wait.
import type { texts as english } from '../../en/portal/disputes.ts'

export const texts: typeof english = {
  disputes: {
    title: 'Reclamación',
    dispute: 'Reclamar este pago',
    what: '¿Qué está mal?',
    choose: 'Elija, por favor',
    text: 'Qué ha pasado',
    missing: 'Elija qué está mal, por favor.',
    blank: 'Escriba qué ha pasado, por favor.',
    send: 'Enviar al banco',
    answer: 'Respuesta del banco',
    reasons: {
      not_authorized: 'No hice este pago',
      not_received: 'Lo que pagué no llegó nunca',
      not_as_described: 'No es lo que se describía',
      duplicate: 'Se cobró dos veces',
      wrong_amount: 'El importe es incorrecto',
      cancelled: 'Lo había cancelado',
      other: 'Otra cosa',
    },
    statuses: {
      open: 'El banco lo está viendo',
      charged_back: 'Abonado hasta que se decida',
      won: 'Decidido a su favor: el dinero es suyo',
      lost: 'Decidido a favor del comercio: se retiró el abono',
      withdrawn: 'Retirada: se retiró el abono',
      closed: 'Cerrada por el banco',
    },
    staffTitle: 'Reclamaciones',
    staffMeaning: 'Pagos con tarjeta reclamados: para un contracargo del procesador, o para cerrar',
    none: 'No hay reclamaciones pendientes.',
    since: 'Desde',
    account: 'Cuenta',
    close: 'Cerrar',
    closeTitle: 'Cerrar sin contracargo',
    closeMeaning: 'El titular lee este motivo.',
    reason: 'Motivo',
  },
}
