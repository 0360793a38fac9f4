// The texts in German of the standing orders that go on, where access is ended.
import type { texts as english } from '../../en/portal/open-orders.ts'

export const texts: typeof english = {
  openOrders: {
    title: 'Daueraufträge, die weiterlaufen',
    text: 'Weder ein neues Passwort noch das Ende einer Sitzung, eines Schlüssels oder eines Programms beendet einen Dauerauftrag. Der zuletzt geänderte steht oben: Beenden Sie jeden, den Sie nicht kennen.',
    none: 'Kein Dauerauftrag läuft weiter.',
    changedAt: 'Zuletzt angelegt oder geändert:',
    madeBy: 'Erteilt oder geändert von',
    heldBy: 'Von den Konten von',
    maker: 'Erteilt oder geändert von',
    makerHint:
      'Ein Benutzername oder die Kennung einer Person, eines Programms, einer Sitzung oder eines Schlüssels.',
    status: 'Stand',
    all: 'Alle',
    open: 'Die weiterlaufen',
    noneBy: 'Es gibt keinen solchen Auftrag.',
    toAccount: 'Zum Konto',
    changedByOther: 'seither von jemand anderem geändert',
    madeByOther: 'von jemand anderem erteilt',
    allOf: 'Alle Daueraufträge dieser Konten',
    allBy: 'Alle Daueraufträge, die diese Person erteilt hat',
    allByProgram: 'Alle Daueraufträge, die dieses Programm erteilt hat',
  },
}
