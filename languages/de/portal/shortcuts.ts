// The texts in German of the list of keyboard shortcuts.
import type { texts as english } from '../../en/portal/shortcuts.ts'

export const texts: typeof english = {
  shortcuts: {
    title: 'Tastenkürzel',
    search: 'Suche',
    home: 'Konten',
    transfer: 'Neue Überweisung',
    help: 'Diese Liste',
    off: 'Sie lassen sich in den Einstellungen abschalten.',
  },
}
