// The texts in Spanish of what guards a person's access: second factors, devices, the password.
import type { texts as english } from '../../en/portal/factors.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  factors: {
    title: 'Segundos factores',
    what: 'Además de la contraseña, un segundo factor demuestra que es usted: una llave de acceso de este u otro dispositivo, o códigos de una aplicación de autenticación.',
    required: 'Su rol exige un segundo factor. Añada uno ahora.',
    passkey: 'Llave de acceso',
    totp: 'Aplicación de autenticación',
    since: 'Añadido',
    neverUsed: 'sin usar todavía',
    rename: 'Cambiar el nombre',
    renameOf: (name) => `Cambiar el nombre de ${name}`,
    remove: 'Quitar',
    removeOf: (name) => `Quitar ${name}`,
    removeOne:
      'Ya no servirá para iniciar sesión. Se cierra la sesión en todos los demás dispositivos.',
    removeLast:
      'Es el último: a partir de entonces basta su contraseña para iniciar sesión, y sus códigos de recuperación dejan de valer. Se cierra la sesión en todos los demás dispositivos.',
    removed: 'Se ha quitado el segundo factor.',
    added:
      'Se ha añadido el segundo factor. Se ha cerrado la sesión en todos los demás dispositivos.',
    addPasskey: 'Añadir una llave de acceso',
    addTotp: 'Añadir una aplicación de autenticación',
    passkeyWhat:
      'Su dispositivo o una llave de seguridad guarda la llave de acceso. Se usa con la huella, la cara o el PIN del dispositivo.',
    totpWhat:
      'Una aplicación del teléfono muestra un código nuevo de seis cifras cada medio minuto.',
    name: 'Nombre',
    nameHint: 'Por el que lo reconocerá.',
    continue: 'Continuar',
    scan: 'Escanee esto con su aplicación de autenticación:',
    qr: 'Código QR con el secreto para su aplicación de autenticación',
    orType: 'Si no puede escanearlo, escriba este secreto en la aplicación:',
    secret: 'secreto',
    openApp: 'Abrir en una aplicación de este dispositivo',
    code: 'Código de la aplicación de autenticación',
    codeHint: 'Seis cifras.',
    wrong:
      'Este código no es correcto. Cada código vale una vez, durante medio minuto: use el que la aplicación muestra ahora. Tras cinco intentos o cinco minutos, empiece de nuevo.',
    refused:
      'Si también se rechaza el código correcto, hubo demasiados incorrectos, y el banco se lo ha dicho por correo. Use una llave de acceso o un código de recuperación, o elija una contraseña nueva con «¿Ha olvidado la contraseña?».',
    wrongRecovery:
      'Este código no es correcto o ya se usó. Tras cinco intentos o cinco minutos, empiece de nuevo.',
    over: 'Esto llevó más de cinco minutos o cinco intentos.',
    startAgain: 'Empezar de nuevo',
    stepTitle: 'Segundo paso',
    passkeyHow:
      'Use la llave de acceso de este dispositivo, de su teléfono o de su llave de seguridad.',
    usePasskey: 'Usar una llave de acceso',
    lost: 'Usar un código de recuperación',
    otherMeans: 'Usar otro medio',
    recoveryCode: 'Código de recuperación',
    recoveryHint:
      'Uno de los códigos que se le mostraron una vez. Después solo puede configurar un nuevo segundo factor.',
    codesTitle: 'Sus códigos de recuperación',
    codesWhat:
      'Si pierde su segundo factor, uno de estos códigos inicia la sesión para que configure otro. Cada uno vale una vez.',
    codesOnce: 'Solo se muestran ahora. Imprímalos o cópielos y guárdelos en un lugar seguro.',
    codesKept: 'Los he guardado',
    codesLeft: (count) =>
      `Le quedan ${plural(count, 'código de recuperación', 'códigos de recuperación')} sin usar.`,
    newCodes: 'Crear códigos de recuperación nuevos',
    firstTitle: 'Configurar un segundo factor',
    firstWhy:
      'Ha iniciado sesión sin un segundo factor. Antes de hacer otra cosa, configure uno. Su dinero y sus datos están como los dejó.',
  },
  confirmation: {
    title: 'Confirmar con su segundo factor',
    operation: 'Qué',
    payee: 'Beneficiario',
    iban: 'IBAN',
    onlyOwn: 'Confírmelo solo si es lo que usted mismo quiere hacer. Si no, cancele.',
    confirm: 'Confirmar',
    otherOperation: 'Un cambio',
    operations: {
      createTransfer: 'Un pago',
      createBeneficiary: 'Un beneficiario nuevo',
      trustBeneficiary: 'Confiar en un beneficiario: sus pagos ya no se confirman',
      untrustBeneficiary: 'Dejar de confiar en un beneficiario',
      updateAccountSettings: 'Ajustes de una cuenta',
      changePassword: 'Una contraseña nueva',
      enrolFactor: 'Un segundo factor nuevo',
      deleteFactor: 'Quitar un segundo factor',
      replaceRecoveryCodes: 'Códigos de recuperación nuevos',
      createUser: 'Una persona nueva',
      updateUser: 'Un cambio de una persona',
      allowFactorReset: 'Permitir que una persona sustituya los segundos factores',
      mailPasswordLink: 'Enviar a una persona un enlace para su contraseña',
      approveRequest: 'Aprobar lo que pidió otra persona',
      createDeposit: 'Un ingreso en efectivo',
      createWithdrawal: 'Una retirada de efectivo',
      reverseTransfer: 'Anular un pago',
      createServiceAccount: 'Crear una cuenta de servicio',
      updateServiceAccount: 'Cambiar una cuenta de servicio',
      issueServiceAccountKey: 'Una clave nueva de una cuenta de servicio',
      createWebhook: 'Crear un webhook, que envía eventos a una dirección',
      updateWebhook: 'Cambiar un webhook',
      renewWebhookSecret: 'Un secreto nuevo de un webhook',
      createHold: 'Retener un importe',
      captureHold: 'Cargar un importe retenido',
      releaseHold: 'Liberar un importe retenido',
      updateHold: 'Cambiar un importe retenido',
      settleTransfer: 'Liquidar un pago',
      returnTransfer: 'Devolver un pago',
    },
  },
  security: {
    title: 'Seguridad',
    sessions: 'Dónde tiene la sesión abierta',
    end: 'Cerrar sesión',
    endOf: (device) => `Cerrar la sesión de ${device}`,
    endOthers: 'Cerrar la sesión en todos los demás dispositivos',
    endedOthers: (count) =>
      `Se ha cerrado la sesión en ${plural(count, 'dispositivo', 'dispositivos')}.`,
    onlyThis: 'Solo tiene la sesión abierta en este dispositivo.',
    password: 'Cambiar la contraseña',
    currentPassword: 'Contraseña actual',
    changed:
      'Se ha cambiado su contraseña. Se ha cerrado la sesión en todos los demás dispositivos.',
    wrongPassword: 'Esta no es su contraseña actual.',
  },
}
