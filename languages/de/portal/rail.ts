// The texts in German of payments from other banks and of new accounts of the bank.
import type { texts as english } from '../../en/portal/rail.ts'

export const texts: typeof english = {
  incoming: {
    title: 'Zahlung von einer anderen Bank',
    details: 'Was eingegangen ist',
    iban: 'IBAN des Kontos, für das sie ist',
    ibanHint: 'Ein Konto dieser Bank.',
    currency: 'Währung',
    name: 'Name des Zahlers',
    debtorIban: 'IBAN des Zahlers (freiwillig)',
    reference: 'Verwendungszweck (freiwillig)',
    externalId: 'Nummer der Zahlung (freiwillig)',
    externalIdHint:
      'Wie die andere Bank oder das Zahlungssystem sie nummeriert. Mit derselben Nummer wird sie einmal gebucht.',
    toSuspense: 'Zu „Ungeklärte Beträge“ nehmen, wenn sie nicht gutgeschrieben werden kann',
    confirm: 'Gutschreiben',
    done: 'Die Zahlung ist gutgeschrieben',
    another: 'Weitere buchen',
  },
  bankAccountNew: {
    title: 'Neues Konto der Bank',
    details: 'Das Konto',
    meaning: 'Es bleibt für immer: Buchungen nennen es auf Dauer.',
    name: 'Name',
    code: 'Kürzel',
    codeHint: 'Kleinbuchstaben, Ziffern und Bindestriche, etwa card-scheme. Es bleibt, wie es ist.',
    badCode:
      'Ein Kürzel hat 2 bis 30 Kleinbuchstaben, Ziffern oder Bindestriche und beginnt mit einem Buchstaben.',
    currency: 'Währung',
    add: 'Konto anlegen',
    done: 'Das Konto ist angelegt',
    show: 'Konto zeigen',
    look: 'Nachsehen, ob es angelegt wurde',
  },
}
