// The texts in German of standing orders.
import type { texts as english } from '../../en/portal/orders.ts'

export const texts: typeof english = {
  orders: {
    title: 'Daueraufträge',
    lists: 'Viele Zahlungen auf einmal',
    list: 'Aufträge dieses Kontos',
    add: 'Neuer Dauerauftrag',
    none: 'Es gibt noch keinen Dauerauftrag. Mit einem Dauerauftrag zahlt die Bank für Sie an festen Tagen.',
    made: 'Der Auftrag ist angelegt. Die Bank zahlt an seinen Terminen.',
    upcoming: 'Die nächsten 30 Tage',
    upcomingCaption: 'Zahlungen der nächsten 30 Tage',
    day: 'Tag',
    payee: 'Empfänger',
    amount: 'Betrag',
    left: 'Dann verfügbar',
    ownAccount: 'Eigenes Konto',
    goneName: 'Gelöschter Empfänger',
    noneOfHolder: 'Für dieses Konto gibt es keinen Dauerauftrag.',
    accountOfHolder: 'Anderes Konto des Inhabers',
    statuses: { active: 'Aktiv', paused: 'Angehalten', ended: 'Beendet' },
    rhythms: { once: 'Einmalig', weekly: 'Wöchentlich', monthly: 'Monatlich', yearly: 'Jährlich' },
    next: (day) => `Nächster Termin am ${day}`,
    noNext: 'Kein weiterer Termin',
    until: (day) => `bis ${day}`,
    missed:
      'Von der Bank angehalten: Viele Termine wurden verpasst. Setzen Sie ihn fort, wenn er weiterlaufen soll.',
    pausesForStaff: {
      owner: 'Vom Inhaber angehalten oder von einem Programm, das von dem Konto zahlen darf.',
      missed:
        'Von der Bank angehalten: Viele Termine wurden verpasst. Der Inhaber setzt ihn fort, wenn er weiterlaufen soll.',
    },
    aboveLimit: 'Der Betrag liegt über dem Tageslimit des Kontos: Der Termin wird abgelehnt.',
    byProgram: 'Von einem Programm beauftragt, das von dem Konto zahlen darf.',
    runs: 'Was aus den Terminen wurde',
    noRuns: 'Noch kein Termin ist gekommen.',
    outcomes: {
      made: 'bezahlt',
      refused: 'nicht bezahlt',
      skipped: 'ausgelassen',
      waiting: 'wartet auf Guthaben',
    },
    refusals: {
      insufficient_funds: 'Guthaben reichte nicht',
      limit_exceeded: 'über dem Tageslimit',
      account_frozen: 'Konto gesperrt',
      account_closed: 'Konto des Empfängers geschlossen',
      credits_blocked: 'Konto des Empfängers nimmt kein Geld an',
      debits_blocked: 'Sperrvermerk gegen Zahlungen vom Konto',
      beneficiary_inactive: 'Empfänger deaktiviert',
      beneficiary_cooling: 'Empfänger zu neu',
      not_found: 'Empfänger gelöscht',
      currency_mismatch: 'Konto des Empfängers in anderer Währung',
      forbidden: 'kein Recht, von dem Konto zu zahlen',
    },
    otherRefusal: 'nicht möglich',
    change: 'Ändern',
    changeTitle: 'Dauerauftrag ändern',
    changeAnyway: 'Trotzdem ändern',
    changed: 'Der Dauerauftrag wurde geändert.',
    skip: 'Nächsten Termin auslassen',
    pause: 'Anhalten',
    resume: 'Fortsetzen',
    end: 'Beenden',
    turned: {
      pause: 'Der Auftrag ist angehalten.',
      resume: 'Der Auftrag läuft weiter.',
      'skip-next': 'Der nächste Termin wird ausgelassen.',
    },
    endTitle: (name) => `Den Auftrag an ${name} beenden?`,
    endText: 'Es wird nichts mehr über ihn bezahlt. Was bezahlt wurde, bleibt bestehen.',
    endForGood: 'Auftrag beenden',
    ended: 'Der Auftrag wurde beendet.',
    rhythm: 'Wie oft',
    firstOn: 'Erster Tag',
    firstHint: 'Heute oder später. Fehlt ein Tag einem Monat, ist es dessen letzter.',
    dayHint: 'Heute oder später.',
    lastOn: 'Letzter Tag (freiwillig)',
    lastHint: 'Ohne ihn läuft der Auftrag, bis Sie ihn beenden.',
    badDay: 'Bitte geben Sie einen Tag ein, heute oder später.',
    badLastDay: 'Bitte geben Sie einen Tag ein, der nicht vor dem ersten liegt.',
    retry: 'Wenn das Guthaben nicht reicht',
    retries: (days) =>
      days === 0
        ? 'An diesem Termin nicht zahlen'
        : days === 1
          ? 'Noch einen Tag lang versuchen'
          : `Noch ${days} Tage lang versuchen`,
    payeeStays: 'Der Empfänger bleibt gespeichert: Der Auftrag zahlt später an ihn.',
    otherName:
      'Er wurde angelegt, obwohl der Name des Empfängers nicht stimmt oder nicht verglichen werden konnte.',
    makeAnyway: 'Trotzdem anlegen',
    make: 'Auftrag anlegen',
    titleChecking: 'Ihr Auftrag wird geprüft',
    tooLate: (money) =>
      `Wir konnten nicht feststellen, ob dieser Dauerauftrag über ${money} angelegt wurde. Suchen Sie ihn in der Liste, bevor Sie ihn erneut anlegen.`,
  },
}
