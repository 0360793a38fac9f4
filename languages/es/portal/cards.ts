// The texts in Spanish of cards.
import type { texts as english } from '../../en/portal/cards.ts'

export const texts: typeof english = {
  cards: {
    title: 'Tarjetas',
    list: 'Sus tarjetas',
    none: 'Todavía no hay tarjetas.',
    which: (digits) => `tarjeta ${digits}`,
    frozenByBank: 'El banco ha bloqueado esta tarjeta. Pregunte al banco.',
    freeze: 'Bloquear',
    unfreeze: 'Desbloquear',
    turned: {
      freeze: (digits) => `La tarjeta ${digits} está bloqueada.`,
      unfreeze: (digits) => `La tarjeta ${digits} se puede volver a usar.`,
    },
    cancel: 'Cancelar',
    cancelTitle: (digits) => `¿Cancelar la tarjeta ${digits}?`,
    cancelText: 'Es definitivo: la tarjeta no se podrá volver a usar. Para una pausa, bloquéela.',
    cancelForGood: 'Cancelar definitivamente',
    keep: 'Conservar la tarjeta',
    cancelled: (digits) => `La tarjeta ${digits} está cancelada.`,
    order: 'Pedir una tarjeta',
    ordered: (digits) => `Su nueva tarjeta termina en ${digits}.`,
    nickname: 'Alias',
    nicknameHint: 'Opcional, por ejemplo compras',
    tooMany: 'Esta cuenta tiene todas las tarjetas que puede tener. Cancele una primero.',
    where: (digits) => `Dónde se puede usar la tarjeta ${digits}`,
    channels: {
      online: 'En línea',
      abroad: 'En el extranjero',
      contactless: 'Sin contacto',
      cash: 'Cajeros',
    },
    switched: {
      on: (what, digits) => `Tarjeta ${digits}: ${what}, activado.`,
      off: (what, digits) => `Tarjeta ${digits}: ${what}, desactivado.`,
    },
    limits: 'Límites',
    limitsOf: (digits) => `Límites de la tarjeta ${digits}`,
    perPayment: (money) => `${money} por pago`,
    perDay: (money) => `${money} al día`,
    noLimits: 'Sin límites',
    perPaymentIn: (currency) => `Máximo por pago (${currency})`,
    perDayIn: (currency) => `Máximo por día (${currency})`,
    limitHint: 'Déjelo vacío para no tener límite. Con 0 no se puede pagar nada.',
    limitsSaved: (digits) => `Los límites de la tarjeta ${digits} están guardados.`,
  },
}
