// The texts in French of the standing orders that go on, where access is ended.
import type { texts as english } from '../../en/portal/open-orders.ts'

export const texts: typeof english = {
  openOrders: {
    title: 'Ordres permanents qui continuent',
    text: 'Ni un nouveau mot de passe ni la fin d’une session, d’une clé ou d’un programme ne met fin à un ordre permanent. Le dernier modifié vient en premier : mettez fin à ceux que vous ne connaissez pas.',
    none: 'Aucun ordre permanent ne continue.',
    changedAt: 'Créé ou modifié en dernier :',
  },
}
