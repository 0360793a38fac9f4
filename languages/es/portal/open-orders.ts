// The texts in Spanish of the standing orders that go on, where access is ended.
import type { texts as english } from '../../en/portal/open-orders.ts'

export const texts: typeof english = {
  openOrders: {
    title: 'Órdenes permanentes que continúan',
    text: 'Ni una contraseña nueva ni el fin de una sesión, de una clave o de un programa terminan una orden permanente. La última que se cambió aparece primero: termine las que no conozca.',
    none: 'No continúa ninguna orden permanente.',
    changedAt: 'Creada o cambiada por última vez:',
    madeBy: 'Dadas o cambiadas por',
    heldBy: 'De las cuentas de',
    maker: 'Dadas o cambiadas por',
    makerHint:
      'Un nombre de usuario, o el identificador de una persona, un programa, una sesión o una clave.',
    status: 'Estado',
    all: 'Todas',
    open: 'Que continúan',
    noneBy: 'No hay ninguna orden así.',
    toAccount: 'A la cuenta',
    changedByOther: 'cambiada después por otra persona',
    madeByOther: 'dada por otra persona',
    allOf: 'Todas las órdenes de estas cuentas',
    allBy: 'Todas las órdenes que dio esta persona',
    allByProgram: 'Todas las órdenes que dio este programa',
  },
}
