// The texts in Spanish that every page may show.
import type { texts as english } from '../../en/portal/common.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  common: {
    colon: ': ',
    loading: 'Cargando',
    again: 'Reintentar',
    broken: 'No se ha podido mostrar esta página.',
    tryIn: (seconds) =>
      `Puede volver a intentarlo dentro de ${plural(seconds, 'segundo', 'segundos')}.`,
    requestId: (id) => `Si pregunta al banco por esto, indique la solicitud ${id}.`,
    copy: 'Copiar',
    copied: 'Copiado',
    copyName: (name) => `Copiar ${name}`,
    filter: 'Filtrar',
    applyFilters: 'Aplicar',
    clearFilters: 'Borrar filtros',
    more: 'Mostrar más',
    save: 'Guardar',
    cancel: 'Cancelar',
    close: 'Cerrar',
    back: 'Atrás',
    print: 'Imprimir',
    none: 'Ninguno',
    yes: 'Sí',
    no: 'No',
    timesIn: (zone) => `Las horas son de ${zone}.`,
    skip: 'Ir al contenido',
    menu: 'Menú principal',
    account: 'Su perfil',
    unnamedAccount: (currency) => `Cuenta en ${currency}`,
    accountStatuses: { active: 'Activa', frozen: 'Bloqueada', closed: 'Cerrada' },
  },
  nav: {
    home: 'Cuentas',
    transfer: 'Pagar',
    orders: 'Órdenes',
    beneficiaries: 'Beneficiarios',
    cards: 'Tarjetas',
    statements: 'Extractos',
    search: 'Búsqueda',
    clearing: 'Compensación',
    users: 'Personas',
    audit: 'Registro de auditoría',
    approvals: 'Aprobaciones',
    today: 'Hoy',
    programs: 'Programas',
    profile: 'Perfil',
    security: 'Seguridad',
    preferences: 'Preferencias',
    signOut: 'Cerrar sesión',
    more: 'Más',
  },
  form: {
    badText: "Solo se aceptan letras, cifras, espacios y / ? : ( ) . , ' + & # · -.",
    badSign: (sign) => `El signo ${sign} no se acepta.`,
    badAmount: (example) => `Introduzca un importe, por ejemplo ${example}.`,
    zeroAmount: (example) => `Introduzca un importe mayor que cero, por ejemplo ${example}.`,
    manyDigits: (currency, most, example) =>
      most === 0
        ? `Los importes en ${currency} son números enteros, como ${example}.`
        : `${currency} tiene como mucho ${most} cifras decimales, como ${example}.`,
    signedAmount: 'Quite el signo delante del importe.',
    longAmount: 'Este importe es demasiado largo: como mucho 15 cifras enteras.',
    unclearAmount: (typed, example, plain) =>
      `«${typed}» se puede leer de varias formas. Escríbalo como ${example} o ${plain}.`,
    summary: (count) => `Corrija ${plural(count, 'campo', 'campos')}:`,
    notAccepted: 'Esto no se ha aceptado.',
    required: 'Rellene este campo.',
    cut: (most) =>
      `Aquí solo caben ${most} caracteres; el resto se ha cortado. Compruebe el final.`,
    checking: 'Se ha perdido la respuesta. Estamos averiguando qué ha pasado.',
    unknown:
      'Se ha perdido la respuesta y no sabemos si esto ha tenido efecto. Compruébelo antes de volver a intentarlo.',
    noPayee: 'Ninguna cuenta de este banco tiene el IBAN del beneficiario. Compárelo de nuevo.',
  },
  errors: {
    offline: 'No se puede conectar con el banco. Compruebe su conexión.',
    account_closed: 'Esta cuenta está cerrada.',
    account_frozen: 'Esta cuenta está bloqueada. No puede salir dinero de ella ni cambiarse nada.',
    account_not_empty:
      'No se puede cerrar una cuenta con saldo, con un importe reservado o con un pago en curso.',
    already_exists: 'Esto ya existe.',
    already_reversed: 'Este pago ya se ha anulado.',
    archived: 'Esto está en un archivo. Pídalo al banco.',
    signature_required: 'Dos personas deben firmar este importe. Envíelo para firmar.',
    beneficiary_cooling:
      'Ha iniciado sesión sin su segundo factor. Un beneficiario añadido desde entonces se puede pagar 24 horas después.',
    approval_pending:
      'Esto espera ahora la aprobación de una segunda persona del banco. Todavía no ha cambiado nada.',
    beneficiary_inactive: 'Este beneficiario está desactivado. Reactívelo antes de pagar.',
    card_cancelled: 'Esta tarjeta está cancelada definitivamente.',
    confirmation_required: 'Esto hay que confirmarlo con su segundo factor.',
    factor_enrolment_required: 'Configure primero un segundo factor.',
    link_refused: 'Este enlace ya se usó, es demasiado antiguo o se envió uno más reciente.',
    passkey_failed:
      'No se ha usado ninguna llave de acceso, o aquí no se conoce. Inténtelo otra vez o elija otro medio.',
    second_factor_required: 'Inicie sesión con su segundo factor.',
    unconfirmed: 'Esto no se ha confirmado, así que no ha cambiado nada.',
    currency_mismatch: 'Las divisas no coinciden.',
    credits_blocked: 'La cuenta no admite dinero por ahora.',
    debits_blocked:
      'El banco ha puesto una restricción a esta cuenta. Por ahora no puede salir dinero de ella.',
    duplicate_transfer: 'El mismo pago se hizo hace un momento.',
    forbidden: 'No tiene permiso para hacer esto.',
    idempotency_key_reused: 'Este pago ya se envió con otro contenido. Empiece de nuevo.',
    illegal_transition: 'Esto no es posible en el estado actual. Vuelva a cargar la página.',
    insufficient_funds: 'No hay suficiente dinero en la cuenta.',
    internal_error: 'Algo ha fallado en el banco. Vuelva a intentarlo más tarde.',
    invalid_credentials: 'El nombre de usuario o la contraseña no son correctos.',
    issuer_refused:
      'El inicio de sesión en el proveedor de identidad no abre nada aquí. Inténtelo de nuevo o pregunte a la administración si está vinculado.',
    issuer_unavailable:
      'El proveedor de identidad no responde en este momento. Inicie sesión más tarde.',
    invalid_request: 'Parte del formulario no se ha aceptado.',
    limit_exceeded: 'Esto superaría un límite.',
    not_found: 'Esto no existe o ya no existe.',
    outcome_unknown: 'Todavía no se conoce el resultado.',
    payee_check_required:
      'El nombre del beneficiario debe compararse de nuevo: vale 15 minutos. Empiece otra vez.',
    payee_not_accepted:
      'El nombre del beneficiario no coincide. Empiece otra vez y siga solo si está seguro.',
    rate_limited: 'Demasiadas solicitudes en poco tiempo.',
    request_in_progress: 'Esto ya se está procesando.',
    session_expired: 'Su sesión ha terminado.',
    session_revoked: 'Se ha puesto fin a su sesión.',
    unauthenticated: 'Inicie sesión.',
    unavailable: 'El banco está ocupado en este momento.',
  },
  rename: {
    action: 'Cambiar el nombre',
    name: 'Nombre nuevo',
    hint: 'Solo usted lo ve. Déjelo vacío para no tener ninguno.',
    done: 'El nombre nuevo está guardado.',
  },
  limits: {
    perPayment: (most) => `Un pago puede ser de ${most} como máximo.`,
    dailyTransfers: (most, left, until) =>
      `El límite diario es ${most}. Quedan ${left} hasta el ${until}.`,
    openAccounts: (most) => `Puede tener ${most} cuentas abiertas. Cierre una primero.`,
    cards: (most) => `Una cuenta puede tener ${most} tarjetas. Cancele una primero.`,
    orders: (most) => `Una cuenta puede tener ${most} órdenes permanentes. Termine una primero.`,
    drafts: (most) => `Esta cuenta puede tener ${most} pagos que esperan una firma.`,
    paymentLists: (most) =>
      `Una cuenta puede tener ${most} listas de pagos sin pagar. Cancele una primero.`,
    secondFactors: (most) => `Puede tener ${most} segundos factores. Quite uno primero.`,
    activeHolds: (most) =>
      `Una cuenta puede tener ${most} retenciones activas. Libere una primero.`,
    members: (most) => `Una cuenta puede tener ${most} miembros. Termine antes una participación.`,
  },
  todo: {
    title: 'Requiere su atención',
    factor: (day) => `Configure un segundo factor antes del ${day}.`,
    approvals: (count) =>
      `${plural(count, 'solicitud espera', 'solicitudes esperan')} su aprobación.`,
    refused: (count) =>
      `${plural(count, 'solicitud suya fue rechazada', 'solicitudes suyas fueron rechazadas')}.`,
  },
  idle: {
    title: '¿Sigue ahí?',
    text: (seconds) =>
      `Por su seguridad, su sesión se cerrará dentro de ${plural(seconds, 'segundo', 'segundos')}.`,
    stay: 'Seguir conectado',
    leave: 'Cerrar sesión ahora',
  },
  missing: {
    title: 'Esta página no existe',
    text: 'La dirección no es de este banco, o no tiene permiso para ver la página.',
    toHome: 'A la página de inicio',
  },
  device: {
    unknown: 'Dispositivo desconocido',
    started: 'Inicio de sesión',
    lastUsed: 'Último uso',
    current: 'Este dispositivo',
  },
}
