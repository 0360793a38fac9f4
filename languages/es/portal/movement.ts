// The texts in Spanish of a movement of money that is told on every page.
import type { texts as english } from '../../en/portal/movement.ts'

export const texts: typeof english = {
  movement: {
    kinds: {
      payment: (money) => `Pago de ${money}`,
      deposit: (money) => `Ingreso de ${money}`,
      withdrawal: (money) => `Retirada de ${money}`,
      reversal: () => 'Anulación',
      posting: (money) => `Asiento de ${money}`,
      order: (money) => `Orden permanente de ${money}`,
    },
    unknown: (what) =>
      `${what}: se ha perdido la respuesta. Estamos averiguando qué ha pasado. No lo pague otra vez.`,
    made: (what) => `${what}: hecho.`,
    onItsWay: (what) => `${what}: en camino al otro banco.`,
    madeOnce: (what) =>
      `${what}: una respuesta se perdió por el camino. Se ha hecho, y una sola vez.`,
    refused: (what) => `${what}: no se ha hecho.`,
    forgotten: (time) =>
      `La operación que envió el ${time}: su sesión terminó antes de la respuesta y no sabemos si se realizó. Búsquela antes de enviarla de nuevo.`,
    tooLate: (what) =>
      `${what}: no hemos podido averiguar si se hizo. Búsquelo en la cuenta antes de volver a pagar.`,
    order: {
      unknown: (what) =>
        `${what}: se ha perdido la respuesta. Estamos averiguando qué ha pasado. No la cree otra vez.`,
      made: (what) => `${what}: creada. El banco paga en sus días.`,
      madeOnce: (what) =>
        `${what}: una respuesta se perdió por el camino. Se ha creado, y una sola vez.`,
      refused: (what) => `${what}: no se ha creado.`,
      tooLate: (what) =>
        `${what}: no hemos podido averiguar si se creó. Búsquela en la lista de órdenes antes de crearla otra vez.`,
    },
    show: 'Mostrar',
  },
}
