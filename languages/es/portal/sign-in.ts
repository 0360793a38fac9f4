// The texts in Spanish of signing in and of passwords.
import type { texts as english } from '../../en/portal/sign-in.ts'

export const texts: typeof english = {
  signIn: {
    title: 'Iniciar sesión',
    note: (host) => `${host} · Nunca le pedimos su contraseña por correo ni por teléfono.`,
    username: 'Nombre de usuario o correo electrónico',
    forgot: '¿Ha olvidado la contraseña?',
    help: 'Ayuda y contacto',
    byPasskey: 'Iniciar sesión con una llave de acceso',
    byIssuer: 'Personal: iniciar sesión en el proveedor de identidad',
    confirmed: 'Está confirmado. Puede cerrar esta página y seguir en la otra.',
    ended: {
      idle: 'Se cerró su sesión tras un rato sin actividad.',
      expired: 'Su sesión ha terminado. Inicie sesión de nuevo.',
      revoked:
        'Se ha puesto fin a su sesión desde otro lugar. Si no fue usted, cambie la contraseña.',
      signedOut: 'Ha cerrado la sesión.',
      mayBeOpen: 'No se pudo conectar con el banco. Es posible que su sesión siga abierta.',
      passwordSet: 'Su contraseña está definida. Inicie sesión con ella.',
      emailProved: 'Su dirección de correo ha cambiado. Inicie sesión de nuevo.',
    },
  },
  password: {
    label: 'Contraseña',
    show: 'Mostrar la contraseña',
    rules: 'De 12 a 128 caracteres, sin el nombre de usuario. Una frase es fácil de recordar.',
    short: 'Esta contraseña tiene menos de 12 caracteres.',
    long: 'Esta contraseña tiene más de 128 caracteres.',
    named: 'Esta contraseña contiene el nombre de usuario.',
    common:
      'Esta contraseña es demasiado común: es conocida, también con cifras o signos alrededor, o se repite.',
    new: 'Contraseña nueva',
  },
}
