// The texts in Spanish of the standing orders that go on, where access is ended.
import type { texts as english } from '../../en/portal/open-orders.ts'

export const texts: typeof english = {
  openOrders: {
    title: 'Órdenes permanentes que continúan',
    text: 'Ni una contraseña nueva ni el fin de una sesión, de una clave o de un programa terminan una orden permanente. La última que se cambió aparece primero: termine las que no conozca.',
    none: 'No continúa ninguna orden permanente.',
    changedAt: 'Creada o cambiada por última vez:',
  },
}
