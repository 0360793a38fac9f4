// The texts in Spanish of the page that customers begin with.
import type { texts as english } from '../../en/portal/home.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  home: {
    title: (name) => `Hola, ${name}`,
    pay: 'Pagar',
    accounts: 'Cuentas',
    moreAccounts: (count) => plural(count, 'cuenta más', 'cuentas más'),
    total: (currency) => `Total en ${currency}`,
    newest: 'Últimos movimientos',
    blocked: 'Restricción',
    frozenText: 'No puede salir dinero de esta cuenta. Pregunte al banco.',
    overdrawn: 'En descubierto',
    overdrawnText: 'El saldo está por debajo de cero. Ingrese dinero en esta cuenta.',
    lackingText:
      'Los pagos con tarjeta tomaron más de lo que tenía la cuenta. No sale dinero de ella hasta que se ingrese.',
    order: 'Orden permanente',
    orderStates: { paused: 'Detenida', waiting: 'Espera saldo', refused: 'No pagada' },
  },
}
