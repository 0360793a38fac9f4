// The texts in Spanish of what has changed on the accounts while a page is open.
import type { texts as english } from '../../en/portal/news.ts'

export const texts: typeof english = {
  news: {
    arrived: (money, name) => (name ? `Ha recibido ${money} de ${name}.` : `Ha recibido ${money}.`),
    manyArrived: (count) => `Ha recibido ${count} pagos.`,
    changed: 'Los saldos o los movimientos han cambiado.',
    show: 'Mostrar',
  },
}
