// The texts in French of the list of keyboard shortcuts.
import type { texts as english } from '../../en/portal/shortcuts.ts'

export const texts: typeof english = {
  shortcuts: {
    title: 'Raccourcis clavier',
    search: 'Rechercher',
    home: 'Comptes',
    transfer: 'Nouveau virement',
    help: 'Cette liste',
    off: 'Ils se désactivent dans les préférences.',
  },
}
