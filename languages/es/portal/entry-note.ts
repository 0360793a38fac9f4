// The texts in Spanish of an own note on an entry.
import type { texts as english } from '../../en/portal/entry-note.ts'

export const texts: typeof english = {
  entryNote: {
    title: 'Nota',
    add: 'Añadir una nota',
    change: 'Cambiar',
    hint: 'Solo la ve usted. Vacía: no hay nota.',
    badText: 'Solo letras, cifras y signos habituales, y ningún número de tarjeta.',
  },
}
