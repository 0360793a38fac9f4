// The texts in German of the standing orders that go on, where access is ended.
import type { texts as english } from '../../en/portal/open-orders.ts'

export const texts: typeof english = {
  openOrders: {
    title: 'Daueraufträge, die weiterlaufen',
    text: 'Weder ein neues Passwort noch das Ende einer Sitzung, eines Schlüssels oder eines Programms beendet einen Dauerauftrag. Der zuletzt geänderte steht oben: Beenden Sie jeden, den Sie nicht kennen.',
    none: 'Kein Dauerauftrag läuft weiter.',
    changedAt: 'Zuletzt angelegt oder geändert:',
  },
}
