// The texts in Spanish of what the service itself writes into the audit trail.
import type { texts as english } from '../../en/portal/audit-details.ts'

export const texts: typeof english = {
  auditDetails: {
    written: {
      match: 'El nombre coincide',
      close_match: 'El nombre casi coincide',
      no_match: 'El nombre no coincide',
      not_possible: 'Sin comparar',
      accepted: 'aceptado por el ordenante',
      passkey: 'una llave de acceso',
      totp: 'un código de un solo uso',
      'With passkey': 'Con una llave de acceso',
      'With totp': 'Con un código de un solo uso',
      'With a recovery code': 'Con un código de recuperación',
      'With a link that replaces the factors': 'Con un enlace que sustituye los segundos factores',
      'The password was right; the second factor was asked for':
        'La contraseña era correcta; se pidió el segundo factor',
      'the session is not restricted any more': 'la sesión ya no está restringida',
      'in place of all earlier factors': 'en lugar de todos los factores anteriores',
      'A refresh token was used again: its session was revoked':
        'Se usó de nuevo un token de renovación: su sesión fue revocada',
      issuer: 'el proveedor de identidad',
      'At the issuer': 'En el proveedor de identidad',
      'with its second factor': 'con su segundo factor',
      'Staff no more': 'Ya no es del personal',
      'The issuer knows the person; the second factor was asked for':
        'El proveedor de identidad conoce a la persona; se pidió el segundo factor',
      gone: 'Respondió que ya no existe',
      failing: 'Falló durante demasiado tiempo',
      'a person': 'Una persona',
    },
  },
}
