// The texts in Spanish of accounts and their entries, for customers and staff.
import type { texts as english } from '../../en/portal/accounts.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  account: {
    title: 'Cuenta',
    details: 'Detalles',
    balance: 'Saldo',
    available: (money) => `${money} disponibles`,
    withOverdraft: (money, part) => `${money} disponibles, de ellos ${part} de descubierto`,
    holder: 'Titular',
    status: 'Estado',
    opened: 'Abierta',
    frozenText:
      'Esta cuenta está bloqueada. Puede llegar dinero, pero no salir. Pregunte al banco.',
    pay: 'Pagar',
    charts: 'Gráficos',
    statements: 'Extractos',
    history: 'Movimientos',
    caption: (zone) => `Primero los más recientes. Las horas son de ${zone}.`,
    period: 'Periodo',
    ranges: {
      all: 'Todo',
      thisMonth: 'Este mes',
      lastMonth: 'El mes pasado',
      days90: '90 días',
      thisYear: 'Este año',
    },
    from: 'Desde',
    to: 'Hasta',
    text: 'Nombre o texto',
    minAmount: 'Como mínimo',
    maxAmount: 'Como máximo',
    noneFound: (hasMore) =>
      hasMore
        ? 'Ningún movimiento reciente coincide con los filtros. Faltan por buscar los más antiguos.'
        : 'Ningún movimiento coincide con los filtros.',
    shown: (count, hasMore) =>
      hasMore
        ? `Se muestran los ${count} más recientes.`
        : plural(count, 'movimiento.', 'movimientos.'),
    wrongDay: 'Elija un día.',
    settings: 'Ajustes',
    settingsNote: 'El banco los cambia por usted. Pregúntenos.',
    phone: 'Teléfono registrado',
    noPhone: 'Ninguno',
    noLimit: 'Sin límite',
    dailyLimit: 'Límite diario de pagos',
    overdraft: 'Límite de descubierto',
    alerts: 'Avisos',
    on: 'Activados',
    off: 'Desactivados',
    close: 'Cerrar esta cuenta',
    noAccount: 'Todavía no tiene ninguna cuenta. Abra la primera para empezar.',
    noEntry: 'Todavía no se ha movido dinero. Comparta su IBAN para recibirlo.',
    openNew: 'Abrir una cuenta',
  },
  entry: {
    title: 'Movimiento',
    time: 'Hora',
    details: 'Detalles',
    account: 'Cuenta',
    amount: 'Importe',
    balanceAfter: 'Saldo después',
    received: 'Entrada',
    paid: 'Salida',
    kinds: {
      transfer: 'Pago',
      deposit: 'Ingreso',
      withdrawal: 'Retirada',
      reversal: 'Anulación',
      return: 'Pago devuelto',
      incoming: 'Pago de otro banco',
      cancellation: 'Pago cancelado',
    },
    from: 'De',
    to: 'A',
    bank: 'El banco',
    erased: 'Ya no se conserva',
    reference: 'Concepto',
    status: 'Estado',
    statuses: {
      completed: 'Hecho',
      pending: 'Aún no enviado',
      returned: 'Devuelto',
      sent: 'En camino',
      cancelled: 'Cancelado',
    },
    broughtBack: 'El dinero volvió: ver ese movimiento',
    id: 'Número de pago',
    again: 'Pagar otra vez',
  },
  card: {
    statuses: { active: 'Activa', frozen: 'Bloqueada', cancelled: 'Cancelada' },
    validTo: (month) => `Válida hasta ${month}`,
  },
}
