// The texts in Spanish of a person's own affairs: links by mail, preferences.
import type { texts as english } from '../../en/portal/own.ts'

export const texts: typeof english = {
  forgot: {
    title: 'Contraseña olvidada',
    intro:
      'Introduzca su correo electrónico. Si pertenece a un cliente, enviamos un enlace que vale 30 minutos.',
    email: 'Correo electrónico',
    submit: 'Enviar el enlace',
    sent: 'Si la dirección se conoce, un correo está en camino. Solo funciona el enlace más reciente.',
    toSignIn: 'Al inicio de sesión',
  },
  help: {
    title: 'Ayuda',
    phone: 'Teléfono',
    address: 'Dirección',
    noContact: 'Su contrato y sus extractos indican cómo contactar con el banco.',
    never:
      'El banco nunca pide su contraseña, un código ni un código de recuperación, ni por correo ni por teléfono.',
    cases: [
      {
        title: 'Ha olvidado su contraseña',
        text: 'Pida un enlace para elegir una nueva. Llega por correo y vale 30 minutos.',
      },
      {
        title: 'Ha perdido el teléfono o la llave de su segundo factor',
        text: 'Inicie sesión con uno de sus códigos de recuperación. Si no le queda ninguno, llame al banco. Cuando esté seguro de que es usted, le envía un enlace con el que inicia sesión con su contraseña y configura un nuevo segundo factor.',
      },
      {
        title: 'Una tarjeta se ha perdido o la han robado',
        text: 'Bloquéela enseguida en la página de sus tarjetas, o sustitúyala allí. Si no puede iniciar sesión, llame al banco.',
      },
      {
        title: 'Hay un pago que no es suyo, o alguien puede conocer su contraseña',
        text: 'Elija una nueva contraseña, cierre todas las demás sesiones en la página Seguridad, bloquee sus tarjetas y llame al banco.',
      },
      {
        title: 'El banco ha bloqueado su cuenta o su tarjeta',
        text: 'Solo el banco puede decirle más y levantar el bloqueo. Llame al banco.',
      },
    ],
  },
  reset: {
    title: 'Definir su contraseña',
    of: (username) => `Para el nombre de usuario ${username}.`,
    submit: 'Definir la contraseña',
    noToken: 'Esta página se abre con el enlace de un correo del banco.',
    used: 'Este enlace ya se usó, es demasiado antiguo o se envió uno más reciente.',
    another: 'Pedir un enlace nuevo',
  },
  factorReset: {
    title: 'Sustituir su segundo factor',
    intro:
      'Inicie sesión con su nombre de usuario y su contraseña. Después configura un nuevo segundo factor, que sustituye a todos los anteriores.',
    noToken: 'Esta página se abre con el enlace de un correo del banco.',
    toSignIn: 'Al inicio de sesión',
  },
  emailProof: {
    title: 'Confirmar su dirección de correo',
    intro:
      'Así la dirección a la que se envió el enlace será su dirección de correo. Después inicia sesión de nuevo, aquí y en todos los dispositivos.',
    submit: 'Usar esta dirección',
    noToken: 'Esta página se abre con el enlace de un correo del banco.',
    dead: 'Este enlace se usó, tiene más de 30 minutos o su solicitud terminó. ¿Es suyo? Inicie sesión con su nombre.',
    taken: 'Otra persona del banco tiene esta dirección.',
    toProfile: 'A su perfil',
  },
  preferences: {
    title: 'Preferencias',
    note: 'Se guardan en este navegador. Los correos y los extractos siguen el idioma.',
    language: 'Idioma',
    auto: 'Como el navegador',
    timeZone: 'Zona horaria',
    theme: 'Apariencia',
    light: 'Clara',
    dark: 'Oscura',
    contrast: 'Alto contraste',
    shortcuts: 'Las teclas sueltas son atajos',
  },
  profile: {
    title: 'Perfil',
    name: 'Nombre',
    username: 'Nombre de usuario',
    email: 'Correo electrónico',
    phone: 'Teléfono',
    address: 'Dirección',
    roles: 'Funciones',
    roleNames: {
      customer: 'Cliente',
      'support-agent': 'Agente de soporte',
      admin: 'Administrador',
    },
    since: 'Desde',
    note: '¿Hay otra cosa que no es correcta? Dígaselo al banco: lo cambia por usted.',
  },
}
