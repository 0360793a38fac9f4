// The texts in Spanish of the trial balance.
import type { texts as english } from '../../en/portal/trial.ts'

export const texts: typeof english = {
  trial: {
    add: 'Añadir una cuenta',
    postings: 'Muchos asientos',
    heading: 'Balance de sumas y saldos',
    account: 'Cuenta del banco',
    balance: 'Saldo',
    customers: 'Todos los clientes',
    total: 'Total',
    unsound: 'El total no es cero. Avise enseguida a operaciones.',
    none: 'Aún no se ha movido dinero.',
    caption: (currency: string) => `Cuentas en ${currency}`,
    codes: {
      cash: 'Efectivo',
      clearing: 'Pagos a y de otros bancos',
      fees: 'Comisiones',
      interest: 'Intereses',
      suspense: 'Importes pendientes',
      opening: 'Saldos iniciales',
    },
  },
}
