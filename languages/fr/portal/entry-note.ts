// The texts in French of an own note on an entry.
import type { texts as english } from '../../en/portal/entry-note.ts'

export const texts: typeof english = {
  entryNote: {
    title: 'Note',
    add: 'Ajouter une note',
    change: 'Modifier',
    hint: 'Elle n’est visible que par vous. Vide\u00a0: il n’y a pas de note.',
    badText:
      'Seulement des lettres, des chiffres et des signes courants, et pas de numéro de carte.',
  },
}
