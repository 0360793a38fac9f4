// The texts in German of payees.
import type { texts as english } from '../../en/portal/payees.ts'

import { plural } from '../plural.ts'

export const texts: typeof english = {
  beneficiaries: {
    title: 'Empfänger',
    list: 'Gespeicherte Empfänger',
    add: 'Empfänger hinzufügen',
    added: 'Der Empfänger wurde hinzugefügt.',
    none: 'Es gibt noch keinen Empfänger. Fügen Sie einen hinzu, um jemanden zu bezahlen.',
    deactivated: 'Deaktiviert',
    pay: 'Überweisen',
    trusted: 'Vertrauenswürdig',
    trust: 'Vertrauen',
    untrust: 'Nicht mehr vertrauen',
    deactivate: 'Deaktivieren',
    reactivate: 'Aktivieren',
    turned: {
      deactivate: (name) =>
        `${name} ist deaktiviert und kann erst nach dem Aktivieren wieder bezahlt werden.`,
      reactivate: (name) => `${name} ist wieder aktiv.`,
      trust: (name) =>
        `Überweisungen an ${name} werden nicht mehr mit einem zweiten Faktor bestätigt.`,
      untrust: (name) => `${name} gilt nicht mehr als vertrauenswürdig.`,
    },
    remove: 'Löschen',
    removeTitle: (name) => `${name} löschen?`,
    removeText:
      'Das ist endgültig: Für eine neue Überweisung müssten Sie den Empfänger neu hinzufügen. Frühere Überweisungen bleiben, wie sie sind. Für eine Pause deaktivieren Sie ihn stattdessen.',
    removeForGood: 'Endgültig löschen',
    removed: (name) => `${name} wurde gelöscht.`,
    name: 'Name',
    nameHint: 'Der Person oder Firma, der das Konto gehört',
    paste: 'Sie können den Text eines QR-Codes für Zahlungen einfügen: Er füllt alles aus.',
    pasted:
      'Der QR-Code hat Empfänger, Betrag und Verwendungszweck ausgefüllt. Bitte vergleichen Sie sie mit der Rechnung.',
    iban: 'IBAN',
    ibanHint: 'Mit oder ohne Leerzeichen',
    nickname: 'Kurzname',
    nicknameHint: 'Freiwillig. Nur Sie sehen ihn.',
    save: 'Speichern',
    once: 'Nur für diese Überweisung: den Empfänger nicht behalten',
    toPayment: 'Weiter zur Überweisung',
    closeMatch: (name) =>
      `Das Konto gehört ${name}. Vergleichen Sie es mit dem Namen, den Sie schrieben.`,
    useName: (name) => `${name} schreiben`,
    noMatch:
      'Das Konto gehört jemand anderem, als Sie schrieben. Fragen Sie den Empfänger, bevor Sie fortfahren.',
    notCompared:
      'Der Name ließ sich nicht mit dem des Inhabers vergleichen. Vergleichen Sie die IBAN mit der Rechnung, und fragen Sie im Zweifel den Empfänger.',
    goOn: 'Mit meinem Namen fortfahren',
    savedAlready: 'Dieses Konto hat schon einen Empfänger mit dieser IBAN.',
    badIban: 'Das ist keine IBAN. Bitte vergleichen Sie sie noch einmal.',
    ownIban: 'Das ist die IBAN des Kontos selbst. Eine Zahlung dorthin würde nichts ändern.',
    search: 'Name oder Teil der IBAN',
    noneFound: 'Nichts passt.',
  },
  whom: {
    title: 'Wen bezahlen Sie?',
    search: 'Name, IBAN oder Text eines QR-Codes',
    last: 'Zuletzt bezahlt',
    somebody: 'Jemand Neues',
    somebodyNote: 'Name und IBAN; der Name wird vorher verglichen',
    found: (count) => plural(count, 'Empfänger passt', 'Empfänger passen'),
  },
}
