// The texts in German of an own note on an entry.
import type { texts as english } from '../../en/portal/entry-note.ts'

export const texts: typeof english = {
  entryNote: {
    title: 'Notiz',
    add: 'Notiz hinzufügen',
    change: 'Ändern',
    hint: 'Nur Sie sehen sie. Leer: Es gibt keine Notiz.',
    badText: 'Nur Buchstaben, Ziffern und übliche Zeichen, und keine Kartennummer.',
  },
}
