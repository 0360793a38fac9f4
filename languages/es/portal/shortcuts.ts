// The texts in Spanish of the list of keyboard shortcuts.
import type { texts as english } from '../../en/portal/shortcuts.ts'

export const texts: typeof english = {
  shortcuts: {
    title: 'Atajos de teclado',
    search: 'Buscar',
    home: 'Cuentas',
    transfer: 'Nuevo pago',
    help: 'Esta lista',
    off: 'Se pueden desactivar en las preferencias.',
  },
}
