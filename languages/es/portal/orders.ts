// The texts in Spanish of standing orders.
import type { texts as english } from '../../en/portal/orders.ts'

export const texts: typeof english = {
  orders: {
    title: 'Órdenes permanentes',
    list: 'Órdenes de esta cuenta',
    add: 'Nueva orden permanente',
    none: 'Todavía no hay ninguna orden permanente. Con una, el banco paga por usted en sus días.',
    made: 'La orden está creada. El banco paga en sus días.',
    upcoming: 'Los próximos 30 días',
    upcomingCaption: 'Pagos de los próximos 30 días',
    day: 'Día',
    payee: 'Beneficiario',
    amount: 'Importe',
    left: 'Disponible entonces',
    ownAccount: 'Cuenta propia',
    goneName: 'Beneficiario eliminado',
    noneOfHolder: 'No hay ninguna orden permanente para esta cuenta.',
    accountOfHolder: 'Otra cuenta del titular',
    statuses: { active: 'Activa', paused: 'Detenida', ended: 'Terminada' },
    rhythms: {
      once: 'Una vez',
      weekly: 'Cada semana',
      monthly: 'Cada mes',
      yearly: 'Cada año',
    },
    next: (day) => `Próximo vencimiento el ${day}`,
    noNext: 'No hay más vencimientos',
    until: (day) => `hasta el ${day}`,
    missed: 'Detenida por el banco: se perdieron muchos vencimientos. Reanúdela si debe continuar.',
    pausesForStaff: {
      owner: 'Detenida por el titular o por un programa que puede pagar desde la cuenta.',
      missed:
        'Detenida por el banco: se perdieron muchos vencimientos. El titular la reanuda si debe continuar.',
    },
    aboveLimit: 'El importe supera el límite diario de la cuenta: el vencimiento se rechazará.',
    byProgram: 'Dada por un programa que puede pagar desde la cuenta.',
    runs: 'Qué fue de sus vencimientos',
    noRuns: 'Todavía no ha llegado ningún vencimiento.',
    outcomes: {
      made: 'pagado',
      refused: 'no pagado',
      skipped: 'omitido',
      waiting: 'espera saldo',
    },
    refusals: {
      insufficient_funds: 'saldo insuficiente',
      limit_exceeded: 'por encima del límite diario',
      account_frozen: 'cuenta bloqueada',
      account_closed: 'cuenta del beneficiario cerrada',
      beneficiary_inactive: 'beneficiario desactivado',
      beneficiary_cooling: 'beneficiario demasiado nuevo',
      not_found: 'beneficiario eliminado',
      currency_mismatch: 'cuenta del beneficiario en otra moneda',
      forbidden: 'sin derecho a pagar desde la cuenta',
    },
    otherRefusal: 'no es posible',
    skip: 'Omitir el próximo vencimiento',
    pause: 'Detener',
    resume: 'Reanudar',
    end: 'Terminar',
    turned: {
      pause: 'La orden está detenida.',
      resume: 'La orden continúa.',
      'skip-next': 'Se omite el próximo vencimiento.',
    },
    endTitle: (name) => `¿Terminar la orden a ${name}?`,
    endText: 'No se paga nada más con ella. Lo que se pagó queda como está.',
    endForGood: 'Terminar la orden',
    ended: 'La orden está terminada.',
    rhythm: 'Con qué frecuencia',
    firstOn: 'Primer día',
    firstHint: 'Hoy o más tarde. Un día que falta en un mes es su último.',
    dayHint: 'Hoy o más tarde.',
    lastOn: 'Último día (opcional)',
    lastHint: 'Sin él, la orden sigue hasta que usted la termine.',
    badDay: 'Introduzca un día, hoy o más tarde.',
    badLastDay: 'Introduzca un día que no sea anterior al primero.',
    retry: 'Si no hay saldo suficiente',
    retries: (days) =>
      days === 0
        ? 'No pagar ese día'
        : days === 1
          ? 'Intentarlo un día más'
          : `Intentarlo ${days} días más`,
    payeeStays: 'El beneficiario queda guardado: la orden le paga más tarde.',
    makeAnyway: 'Crearla de todos modos',
    make: 'Crear la orden',
    titleChecking: 'Estamos comprobando su orden',
    tooLate: (money) =>
      `No hemos podido averiguar si se creó esta orden permanente de ${money}. Búsquela en la lista antes de crearla otra vez.`,
  },
}
