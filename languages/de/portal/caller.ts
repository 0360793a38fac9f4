// The texts in German of what a caller asks of, on the page of a person.
import type { texts as english } from '../../en/portal/caller.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  caller: {
    events: 'Letzte Ereignisse',
    refused: 'Zuletzt abgelehnt',
    noRefused: 'Nichts wurde abgelehnt.',
    payees: 'Empfänger',
    noPayees: 'Diese Person hat keinen Empfänger gespeichert.',
    deactivated: 'Deaktiviert',
    trusted: 'Vertrauenswürdig',
    added: 'Hinzugefügt',
    factors: 'Zweite Faktoren',
    noFactor: 'Kein zweiter Faktor: Das Passwort allein öffnet die Bank.',
    mustEnrol: 'Noch kein zweiter Faktor: Die nächste Anmeldung verlangt einen.',
    codesLeft: (count) =>
      `Noch ${plural(count, 'Wiederherstellungscode', 'Wiederherstellungscodes')}.`,
  },
}
