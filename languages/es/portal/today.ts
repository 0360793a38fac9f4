// The texts in Spanish of the bank in totals, for staff.
import type { texts as english } from '../../en/portal/today.ts'

export const texts: typeof english = {
  today: {
    overdrawn: 'Cuentas en descubierto',
    since: 'Desde',
    lacking: 'Falta',
    overdrawnMeaning: 'Los pagos con tarjeta tomaron más de lo que tenían estas cuentas',
    noneOverdrawn: 'A ninguna cuenta le falta dinero para un pago con tarjeta.',
    title: 'El banco hoy',
    refresh: 'Actualizar',
    asOf: 'A las',
    pending: 'Pagos pendientes',
    sessions: 'Sesiones abiertas',
    active: 'Personas activas',
    disabled: 'Personas desactivadas',
    orMore: (count) => `${count} o más`,
    currencies: 'Dinero por divisa',
    currenciesCaption: 'Cuentas abiertas, lo que tienen los clientes y pagos a otros bancos',
    currency: 'Divisa',
    accounts: 'Cuentas abiertas',
    balances: 'Saldos de los clientes',
    pendingAmount: 'Pendiente',
    noAccounts:
      'Todavía no hay cuentas abiertas. Los clientes abren las suyas; el personal las encuentra con la búsqueda.',
    refused: 'Rechazos',
    refusalsCaption: 'En las últimas 24 horas',
    kind: 'Tipo',
    count: 'Número',
    refusals: {
      failure: 'Inicios de sesión fallidos',
      limited: 'Demasiados inicios de sesión',
      forbidden: 'Sin permiso',
    },
    verification: 'Verificación de los libros',
    neverVerified:
      'Los libros no se han verificado nunca. El operador ejecuta «strongroom verify», a ser posible cada día.',
    sound: 'En orden',
    unsound: 'No en orden',
    soundMeaning: 'Se ha probado cada movimiento, saldo y suma.',
    unsoundMeaning: 'Algo no concuerda. Avise enseguida al operador.',
    toEvent: 'Mostrar la ejecución en el registro de auditoría',
  },
}
