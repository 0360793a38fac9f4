// The texts in Spanish of the blocks of an account, for staff.
import type { texts as english } from '../../en/portal/blocks.ts'

export const texts: typeof english = {
  block: {
    causes: {
      court_order: 'Orden de un juzgado o de una autoridad',
      insolvency: 'Insolvencia',
      sanctions: 'Sanciones',
      money_laundering: 'Sospecha de blanqueo de capitales',
      fraud: 'Sospecha de fraude',
      takeover: 'Posible acceso de otra persona',
      death: 'Fallecimiento del titular',
      guardianship: 'Curatela',
      customer_request: 'A petición del titular',
      identification: 'Falta la identificación',
      bank_request: 'Otra causa del banco',
    },
  },
  staffBlocks: {
    title: 'Restricciones',
    none: 'No hay ninguna restricción, ni la hubo.',
    set: 'Poner una restricción',
    setDone: 'La restricción está puesta.',
    side: 'Qué detiene',
    sides: {
      debits: 'Lo que sale de la cuenta',
      credits: 'Lo que llega a la cuenta',
      both: 'Lo que sale y lo que llega',
    },
    stops: {
      debits:
        'Detiene las transferencias, los pagos a otros bancos, las retiradas de efectivo, las órdenes permanentes en sus días y los pagos nuevos con tarjeta.',
      credits:
        'Detiene las transferencias a la cuenta y los ingresos de efectivo. El dinero de otros bancos y las devoluciones de comercios se rechazan o quedan entre los importes pendientes.',
    },
    goesOn:
      'Lo que estaba reservado se cobra todavía. Las comisiones, los intereses, las correcciones y el dinero que vuelve se siguen moviendo: para detener también lo que toma el banco, bloquee la cuenta. El titular ve qué se detiene, y no por qué.',
    cause: 'Causa',
    classes: {
      authority: 'Ley o autoridad',
      security: 'Seguridad',
      person: 'La persona',
      bank: 'El banco',
    },
    note: 'Nota',
    noteHint: 'Solo para administradores. Queda como está.',
    badNote: 'Este texto no se puede guardar. Quizá contiene un número de tarjeta.',
    untilDay: 'Hasta el final del',
    untilHint: 'Opcional: sin día, hasta que se levante.',
    badDay: 'Elija un día desde hoy.',
    statuses: { active: 'Activa', ended: 'Terminada', lifted: 'Levantada' },
    setAt: (at, by) => (by ? `Puesta ${at} por ${by}` : `Puesta ${at}`),
    until: (at) => `hasta ${at}`,
    open: 'hasta que se levante',
    liftedAt: (at, by) => (by ? `Levantada ${at} por ${by}` : `Levantada ${at}`),
    lift: 'Levantar',
    liftOf: (what) => `Levantar la restricción: ${what}`,
    liftTitle: '¿Levantar esta restricción?',
    liftText:
      'Lo que ninguna otra restricción detiene vuelve a moverse enseguida. La restricción queda en esta lista.',
    liftDone: 'La restricción está levantada.',
  },
}
