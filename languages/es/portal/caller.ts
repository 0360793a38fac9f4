// The texts in Spanish of what a caller asks of, on the page of a person.
import type { texts as english } from '../../en/portal/caller.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  caller: {
    events: 'Últimos eventos',
    refused: 'Rechazado últimamente',
    noRefused: 'No se ha rechazado nada.',
    payees: 'Beneficiarios',
    noPayees: 'Esta persona no ha guardado ningún beneficiario.',
    deactivated: 'Desactivado',
    trusted: 'De confianza',
    added: 'Añadido',
    factors: 'Segundos factores',
    noFactor: 'Ningún segundo factor: la contraseña sola abre el banco.',
    mustEnrol: 'Aún sin segundo factor: el próximo inicio de sesión pedirá uno.',
    codesLeft: (count) =>
      `Quedan ${plural(count, 'código de recuperación', 'códigos de recuperación')}.`,
  },
}
