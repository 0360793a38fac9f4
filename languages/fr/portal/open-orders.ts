// The texts in French of the standing orders that go on, where access is ended.
import type { texts as english } from '../../en/portal/open-orders.ts'

export const texts: typeof english = {
  openOrders: {
    title: 'Ordres permanents qui continuent',
    text: 'Ni un nouveau mot de passe ni la fin d’une session, d’une clé ou d’un programme ne met fin à un ordre permanent. Le dernier modifié vient en premier\u00a0: mettez fin à ceux que vous ne connaissez pas.',
    none: 'Aucun ordre permanent ne continue.',
    changedAt: 'Créé ou modifié en dernier\u00a0:',
    madeBy: 'Donnés ou modifiés par',
    heldBy: 'Depuis les comptes de',
    maker: 'Donnés ou modifiés par',
    makerHint:
      'Un nom d’utilisateur, ou l’identifiant d’une personne, d’un programme, d’une session ou d’une clé.',
    status: 'État',
    all: 'Tous',
    open: 'Qui continuent',
    noneBy: 'Il n’y a aucun ordre de ce genre.',
    toAccount: 'Vers le compte',
    changedByOther: 'modifié depuis par quelqu’un d’autre',
    madeByOther: 'donné par quelqu’un d’autre',
    allOf: 'Tous les ordres permanents de ces comptes',
    allBy: 'Tous les ordres permanents de cette personne',
    allByProgram: 'Tous les ordres permanents de ce programme',
  },
}
