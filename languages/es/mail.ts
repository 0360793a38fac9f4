// The mails in Spanish.
import type { mail as english } from '../en/mail.ts'

const notYou = 'Si fue usted, no hay nada que hacer. Si no, avise enseguida al banco.'
const orderNotYou =
  'Si fue usted, no hay nada que hacer. Si no, termine la orden y las sesiones que no conozca, ponga una contraseña nueva y avise enseguida al banco.'
const listNotYou =
  'Si fue usted, no hay nada que hacer. Si no, cancele la lista si aún no está pagada, termine las sesiones que no conozca, ponga una contraseña nueva y avise enseguida al banco.'
const byMemberNotYou =
  'Si lo esperaba, no hay nada que hacer. Si no, póngale fin en la página de la cuenta, ponga fin a lo que la persona puede hacer allí y avise al banco.'
const paidByMember = (member: string) =>
  `Lo hizo ${member}, una persona que puede pagar desde esta cuenta. Si lo esperaba, no hay nada que hacer. Si no, ponga fin en la página de la cuenta a lo que la persona puede hacer allí y avise al banco.`
const asked =
  'Si se lo pidió usted al banco, no hay nada que hacer. Si no, avise enseguida al banco.'
const neverAsked = 'Nadie del banco le pedirá nunca este enlace.'

export const mail: typeof english = {
  hello: (name) => `Hola, ${name}:`,
  inCash: 'en efectivo',
  reserved: 'del importe reservado',
  toAccount: (ending) => `a una cuenta que termina en ${ending}`,
  toDeletedPayee: 'a un beneficiario que se eliminó',
  fromAccount: (ending) => `desde una cuenta que termina en ${ending}`,
  fromElsewhere: 'desde otro banco',
  rhythms: {
    once: (day) => `una vez, el ${day}`,
    weekly: (day) => `cada semana a partir del ${day}`,
    monthly: (day) => `cada mes a partir del ${day}`,
    yearly: (day) => `cada año a partir del ${day}`,
  },
  atOnce: 'enseguida',
  onDay: (day) => `el ${day}`,
  byLogin: 'con su inicio de sesión',
  byProgram: 'por un programa que puede pagar desde su cuenta',
  byMember: (name) => `por ${name}, una persona que puede pagar desde esta cuenta`,
  formerMember: 'un antiguo miembro',
  members: {
    rights: {
      view: 'ver la cuenta',
      prepare: 'ver la cuenta y preparar pagos',
      pay: 'ver la cuenta y pagar',
    },
    perPayment: (money) => `hasta ${money} por pago`,
    perDay: (money) => `hasta ${money} al día`,
    until: (time) => `hasta el ${time}`,
    enders: {
      owner: 'el titular de la cuenta le puso fin',
      member: 'el miembro le puso fin',
      staff: 'el banco le puso fin',
      time: 'su último día ha pasado',
      revocation: 'se revocó el acceso con el que se envió o cambió la invitación',
    },
  },
  notMade: 'el banco no pudo ejecutarla',
  refusals: {
    insufficient_funds: 'no había saldo suficiente en la cuenta',
    limit_exceeded: 'el importe superaba un límite de la cuenta',
    account_frozen: 'la cuenta está bloqueada',
    account_closed: 'la cuenta del beneficiario está cerrada',
    credits_blocked: 'la cuenta del beneficiario no admite dinero por ahora',
    debits_blocked: 'una restricción del banco detiene los pagos desde la cuenta',
    currency_mismatch: 'la cuenta del beneficiario es de otra moneda',
    beneficiary_inactive: 'el beneficiario está desactivado',
    signature_required: 'un importe así lo tienen que firmar dos personas',
    beneficiary_cooling: 'el beneficiario se añadió menos de un día después de recuperar su acceso',
    not_found: 'el beneficiario fue eliminado',
    forbidden: 'el ordenante ya no puede pagar desde la cuenta',
  },
  notApproved: 'el banco no pudo autorizarlo',
  declines: {
    card_cancelled: 'la tarjeta está cancelada',
    card_frozen: 'la tarjeta está bloqueada',
    card_expired: 'la tarjeta ha caducado',
    account_frozen: 'la cuenta está bloqueada',
    debits_blocked: 'una restricción del banco detiene los pagos desde la cuenta',
    currency_mismatch: 'la cuenta es de otra moneda',
    channel_off: 'la tarjeta está desactivada para ese tipo de pagos',
    per_payment_limit: 'el importe superaba el límite de la tarjeta por pago',
    per_day_limit: 'el importe superaba el límite diario de la tarjeta',
    insufficient_funds: 'no había saldo suficiente en la cuenta',
  },
  disputeSteps: {
    opened: () => 'el banco la ha recibido',
    closed: () => 'el banco la ha cerrado; la página del pago muestra por qué',
    made: (money: string) => `${money} se han abonado a su cuenta mientras se decide`,
    won: (money: string) => `se ha decidido a su favor y conserva ${money}`,
    lost: (money: string) =>
      `se ha decidido a favor del comercio y se han retirado ${money} de su cuenta`,
    withdrawn: (money: string) => `se ha retirado, y se han retirado ${money} de su cuenta`,
  },
  mails: {
    reset: {
      subject: 'Definir una contraseña nueva',
      paragraphs: ({ username, link, until }) => [
        `usted, o el banco en su nombre, ha pedido definir una contraseña nueva para su nombre de usuario ${username}. Para elegirla, abra este enlace:`,
        link,
        `Vale una vez, hasta el ${until}. Un enlace más reciente lo anula. Cuando la contraseña nueva esté definida, se cerrarán todas sus sesiones.`,
        `Si no lo desea, no haga nada: su contraseña sigue igual. ${neverAsked}`,
      ],
    },
    invitation: {
      subject: 'Bienvenido: elija su contraseña',
      paragraphs: ({ username, link, until }) => [
        `ya puede usar el banco. Su nombre de usuario es ${username}. Para elegir su contraseña, abra este enlace:`,
        link,
        `Vale una vez, hasta el ${until}. Después, pida un enlace nuevo como si hubiera olvidado la contraseña. ${neverAsked}`,
      ],
    },
    'password-changed': {
      subject: 'Se ha cambiado su contraseña',
      paragraphs: ({ username }) => [
        `la contraseña de su nombre de usuario ${username} se acaba de cambiar, y se han cerrado las sesiones de otros dispositivos.`,
        'Si fue usted, no hay nada que hacer. Si no, pida enseguida una contraseña nueva con «contraseña olvidada» y avise al banco.',
      ],
    },
    'email-changed': {
      subject: 'Se ha cambiado su correo electrónico',
      paragraphs: ({ username }) => [
        `el banco ha cambiado el correo electrónico de su nombre de usuario ${username}. Los correos van desde ahora a la dirección nueva. Se han cerrado todas sus sesiones, y los enlaces para definir una contraseña enviados aquí ya no valen.`,
        asked,
      ],
    },
    'email-set': {
      subject: 'Este es ahora su correo electrónico',
      paragraphs: () => [
        'el banco ha anotado este correo electrónico como suyo. Los correos llegan desde ahora aquí. Se han cerrado todas sus sesiones.',
        'Si no se lo pidió usted al banco, avise enseguida al banco.',
      ],
    },
    'email-asked': {
      subject: 'Se pidió otra dirección de correo',
      paragraphs: ({ username, at }) => [
        `con su nombre de usuario ${username} se pidió el ${at} usar otra dirección de correo. Hasta que se confirme con un enlace enviado allí, todo llega aquí como antes.`,
        'Si fue usted, no hay nada que hacer aquí. Si no, ponga enseguida una contraseña nueva con «contraseña olvidada»: eso termina la solicitud y cierra la sesión en todos los dispositivos. Después avise al banco.',
      ],
    },
    // Without the user name: the address may have been mistyped.
    'email-proof': {
      subject: 'Confirme su dirección de correo',
      paragraphs: ({ link, until }) => [
        'usted pidió al banco usar esta dirección de correo. Para confirmar que es suya, abra este enlace e inicie sesión:',
        link,
        `Funciona una vez, hasta el ${until}. Un enlace más nuevo lo anula. Después se cierra su sesión en todas partes.`,
        `Si no lo pidió, no haga nada: la dirección no se usará. ${neverAsked}`,
      ],
    },
    'new-device': {
      subject: 'Sesión desde un dispositivo nuevo',
      paragraphs: ({ username, at }) => [
        `con su nombre de usuario ${username} se inició sesión el ${at}, con un dispositivo o un programa que el banco no conocía.`,
        'Si fue usted, no hay nada que hacer. Si no, pida enseguida una contraseña nueva con «contraseña olvidada», que cierra todas las sesiones, y avise al banco.',
      ],
    },
    'limits-raised': {
      subject: 'Se pidió un límite más alto',
      paragraphs: ({ username, at }) => [
        `su nombre de usuario ${username} pidió el ${at} subir o quitar un límite de una de sus cuentas. Vale 12 horas después. Hasta entonces puede deshacerlo en la página de la cuenta.`,
        'Si fue usted, no hay nada que hacer. Si no, deshágalo, termine las sesiones que no conozca, ponga una contraseña nueva y avise enseguida al banco.',
      ],
    },
    'signatures-lowered': {
      subject: 'Se pidieron menos firmas',
      paragraphs: ({ username, at }) => [
        `su nombre de usuario ${username} pidió el ${at} que los pagos desde una de sus cuentas necesiten dos firmas solo desde un importe más alto, o ya no. Vale 12 horas después. Hasta entonces puede deshacerlo en la página de la cuenta.`,
        'Si fue usted, no hay nada que hacer. Si no, deshágalo, termine las sesiones que no conozca, ponga una contraseña nueva y avise enseguida al banco.',
      ],
    },
    'draft-waiting': {
      subject: 'Un pago espera su firma',
      paragraphs: ({ money, iban, way, member, at }) => [
        `un pago de ${money} desde la cuenta que termina en ${iban}, ${way}, preparado por ${member}, espera su firma desde el ${at}.`,
        'Léalo todo en la página antes de firmar. Si no lo esperaba, pregunte a la persona que lo preparó.',
      ],
    },
    'draft-paid': {
      subject: 'Su pago fue firmado',
      paragraphs: ({ money, iban, way, signers, at }) => [
        `el pago de ${money} que usted preparó, desde la cuenta que termina en ${iban}, ${way}, fue firmado por ${signers} y hecho el ${at}.`,
      ],
    },
    'draft-ended': {
      subject: 'Un pago no se hizo',
      paragraphs: ({ money, iban, way, member, at }) => [
        `un pago de ${money} desde la cuenta que termina en ${iban}, ${way}, preparado por ${member}, ya no espera desde el ${at}: fue cancelado, su plazo terminó, o una persona que lo preparó o firmó ya no puede hacerlo o lo hizo en un acceso que se revocó por seguridad.`,
        'No se pagó nada. Si aún hace falta, prepárelo de nuevo.',
      ],
    },
    'member-invited': {
      subject: 'Le invitan a actuar por una cuenta',
      paragraphs: ({ owner, rights, at }) => [
        `${owner} le invitó el ${at} a actuar por una cuenta. Entonces podrá ${rights}.`,
        'Inicie sesión en el banco para aceptar o rechazar en siete días. Si no conoce a la persona, rechace: nada ocurre sin usted.',
      ],
    },
    'member-joined': {
      subject: 'Una persona puede actuar por su cuenta',
      paragraphs: ({ member, iban, rights, at }) => [
        `${member} aceptó su invitación el ${at} y actúa desde ahora por su cuenta que termina en ${iban}. La persona puede ${rights}.`,
        'Si no la invitó usted, póngale fin enseguida en la página de la cuenta, termine las sesiones que no conozca, ponga una contraseña nueva y avise al banco.',
      ],
    },
    'member-changed': {
      subject: 'Cambiaron los derechos sobre una cuenta',
      paragraphs: ({ member, owner, iban, rights, at }) => [
        `lo que ${member} puede hacer por la cuenta de ${owner} que termina en ${iban} cambió el ${at}. La persona puede ahora ${rights}.`,
        'Solo el titular lo cambia. Si usted es el titular y no fue usted, póngale fin en la página de la cuenta y avise enseguida al banco.',
      ],
    },
    'member-ended': {
      subject: 'Una persona ya no actúa por una cuenta',
      paragraphs: ({ member, owner, iban, why, at }) => [
        `${member} ya no actúa por la cuenta de ${owner} que termina en ${iban} desde el ${at}: ${why}.`,
        'Lo que la persona ordenó allí ya no se paga en su nombre.',
      ],
    },
    'notices-off': {
      subject: 'Se ha desactivado un aviso',
      paragraphs: ({ username, at }) => [
        `con su nombre de usuario ${username} se desactivaron avisos por correo el ${at}, o se eligió un saldo más bajo que antes para avisarle. Su perfil muestra qué correos recibe. Durante una hora no se le avisa de más cambios.`,
        notYou,
      ],
    },
    'money-arrived': {
      subject: 'Ha llegado dinero',
      paragraphs: ({ money, iban, at, way }) => [
        `${money} llegaron a su cuenta que termina en ${iban} el ${at}, ${way}.`,
        'Recibe este aviso porque lo pidió. Su perfil muestra qué correos recibe.',
      ],
    },
    'card-dispute': {
      subject: 'Su pago con tarjeta reclamado',
      paragraphs: ({ merchant, card, at, why }) => [
        `sobre su reclamación de un pago en ${merchant} con la tarjeta que termina en ${card}, ${at}: ${why}.`,
        'La página del pago muestra cómo está.',
      ],
    },
    'account-overdrawn': {
      subject: 'Su cuenta está en descubierto',
      paragraphs: ({ money, iban, at }) => [
        `el ${at} se contabilizó un pago con tarjeta, o el fin de una reclamación, para el que su cuenta que termina en ${iban} no tenía dinero suficiente: ahora faltan ${money}, más allá de lo que usted acordó con el banco.`,
        'Un comercio puede cobrar tarde, o más de lo retenido, o ganar una reclamación, y el banco tiene que pagarle. Ingrese el importe, por favor: hasta entonces no sale dinero de la cuenta.',
      ],
    },
    'balance-below': {
      subject: 'Su saldo es bajo',
      paragraphs: ({ money, iban, at }) => [
        `el ${at} el saldo de su cuenta que termina en ${iban} bajó de ${money}, el importe que usted eligió.`,
        'Se le avisa de nuevo cuando el saldo lo haya alcanzado y vuelva a bajar de él.',
      ],
    },
    'phone-changed': {
      subject: 'Se ha cambiado un número de teléfono',
      paragraphs: ({ at }) => [
        `el banco ha cambiado el ${at} un número de teléfono que tiene de usted o que está registrado para una de sus cuentas.`,
        asked,
      ],
    },
    payment: {
      subject: 'Ha salido un pago de su cuenta',
      paragraphs: ({ money, iban, at, way, member }) => [
        `salieron ${money} de su cuenta que termina en ${iban} el ${at}, ${way}.`,
        member === '' ? notYou : paidByMember(member),
      ],
    },
    'alerts-paused': {
      subject: 'Muchos avisos en una hora',
      paragraphs: ({ alertsPerHour }) => [
        `hubo más de ${alertsPerHour} avisos de un mismo tipo para usted en una hora, por ejemplo de sesiones desde dispositivos nuevos, pagos u órdenes permanentes. No se le envían más de ese tipo hasta que pase la hora.`,
        'Mire sus cuentas y sus sesiones. Si no sabe por qué hay tantos, avise enseguida al banco.',
      ],
    },
    'webhook-disabled': {
      subject: 'Se ha desactivado un webhook',
      paragraphs: ({ at, publicUrl }) => [
        `un webhook del banco se desactivó el ${at}: su destino respondió que ya no existe, o todos los envíos fallaron durante cinco días. No se le envía nada hasta que un administrador lo active de nuevo. Cuál es y por qué se ve aquí:`,
        `${publicUrl}/portal/staff/programs/webhooks`,
      ],
    },
    'factor-added': {
      subject: 'Se ha añadido un segundo factor',
      paragraphs: ({ username, at }) => [
        `se añadió un segundo factor a su nombre de usuario ${username} el ${at}, y se cerraron las sesiones de otros dispositivos. Desde ahora, cada inicio de sesión pide uno de sus segundos factores.`,
        notYou,
      ],
    },
    'factor-removed': {
      subject: 'Se ha quitado un segundo factor',
      paragraphs: ({ username, at }) => [
        `se quitó un segundo factor de su nombre de usuario ${username} el ${at}, y se cerraron las sesiones de otros dispositivos.`,
        notYou,
      ],
    },
    'recovery-codes-made': {
      subject: 'Códigos de recuperación nuevos',
      paragraphs: ({ username, at }) => [
        `se crearon códigos de recuperación nuevos para su nombre de usuario ${username} el ${at}. Los anteriores ya no valen.`,
        notYou,
      ],
    },
    'recovery-code-used': {
      subject: 'Una sesión sin su segundo factor',
      paragraphs: ({ username, at }) => [
        `con su nombre de usuario ${username} se inició sesión el ${at}, con la contraseña y, en lugar de un segundo factor, un código de recuperación o un enlace del banco. Esa sesión solo puede añadir un segundo factor nuevo. Durante 24 horas no se paga nada a los beneficiarios añadidos desde ahora.`,
        'Si fue usted, no hay nada que hacer. Si no, pida enseguida una contraseña nueva con «contraseña olvidada» y avise al banco.',
      ],
    },
    'factor-reset': {
      subject: 'Sustituya su segundo factor',
      paragraphs: ({ username, link, until }) => [
        `el banco le permite sustituir los segundos factores de su nombre de usuario ${username}. Se han cerrado todas sus sesiones. Inicie sesión con este enlace y su contraseña, y configure un segundo factor nuevo; sustituye a todos los demás:`,
        link,
        `Vale una vez, hasta el ${until}. ${neverAsked}`,
        'Si no se lo pidió usted al banco, avise enseguida al banco: quizá alguien intenta quedarse con sus cuentas.',
      ],
    },
    'wrong-factor': {
      subject: 'Un segundo factor incorrecto',
      paragraphs: ({ username, at }) => [
        `se dio un segundo factor incorrecto para su nombre de usuario ${username} el ${at}, después de su contraseña o en una de sus sesiones. No se hizo nada con él. Durante una hora no se le avisa de otros.`,
        'Si fue usted, no hay nada que hacer. Si no, alguien conoce su contraseña o usa una sesión suya: pida enseguida una contraseña nueva con «contraseña olvidada», que cierra todas las sesiones, y avise al banco.',
      ],
    },
    'codes-refused': {
      subject: 'Se rechazan los códigos de un solo uso',
      paragraphs: ({ username, at }) => [
        `demasiados códigos de un solo uso seguidos fueron incorrectos para su nombre de usuario ${username}, tras la contraseña correcta, hasta el ${at}. Al iniciar sesión se rechazan ahora todos los códigos, también los correctos, pero no en un dispositivo con el que ya inició sesión.`,
        'Quizá alguien conoce su contraseña: defina una nueva con «contraseña olvidada». Después se vuelven a aceptar códigos, también tras una sesión con una llave de acceso o un código de recuperación. Si nada de esto ayuda, pida al banco poder sustituir su segundo factor.',
      ],
    },
    'issuer-linked': {
      subject: 'Inicia sesión en el proveedor de identidad',
      paragraphs: ({ username, at }) => [
        `el ${at} la administración estableció que un inicio de sesión en el proveedor de identidad del banco abre su nombre de usuario ${username}. Se cerraron todas las sesiones.`,
        'Si no lo espera, avise enseguida al banco: alguien podría actuar en su nombre.',
      ],
    },
    'issuer-unlinked': {
      subject: 'Ya no entra por el proveedor de identidad',
      paragraphs: ({ username, at }) => [
        `el ${at} la administración puso fin a que un inicio de sesión en el proveedor de identidad del banco abra su nombre de usuario ${username}. Se cerraron todas las sesiones. Desde ahora inicia sesión con su contraseña de este banco.`,
        'Si no lo espera, avise enseguida al banco.',
      ],
    },
    'list-ordered': {
      subject: 'Se ordenó una lista de pagos',
      paragraphs: ({ count, money, iban, day, why, member, at }) => [
        `el ${at} se ordenó una lista de ${count} pagos, en total ${money}, ${why}. Se paga ${day} desde su cuenta que termina en ${iban}.`,
        member === '' ? listNotYou : byMemberNotYou,
      ],
    },
    'list-refused': {
      subject: 'Se rechazaron pagos de una lista',
      paragraphs: ({ count, iban }) => [
        `de su lista de pagos desde la cuenta que termina en ${iban}, ${count} no se hicieron. Los demás sí.`,
        'La página de la lista dice por qué en cada uno.',
      ],
    },
    'order-refused': {
      subject: 'No se ejecutó una orden permanente',
      paragraphs: ({ money, iban, day, why }) => [
        `su orden permanente de ${money} desde la cuenta que termina en ${iban}, con vencimiento el ${day}, no se ejecutó: ${why}.`,
        'Si la orden tiene vencimientos posteriores, se mantienen. Si desea hacer este pago de todos modos, haga una transferencia.',
      ],
    },
    'order-paused': {
      subject: 'Se detuvo una orden permanente',
      paragraphs: ({ money, iban }) => [
        `su orden permanente de ${money} desde la cuenta que termina en ${iban} ha perdido muchos vencimientos. El banco recuperó 31 de ellos y la detuvo.`,
        'Revise la orden y reanúdela si debe continuar.',
      ],
    },
    'order-made': {
      subject: 'Una orden permanente nueva',
      paragraphs: ({ money, iban, way, day, why, member, at }) => [
        `el ${at} se creó una orden permanente, ${why}. Paga ${money} desde su cuenta que termina en ${iban}, ${way}, ${day}.`,
        member === '' ? orderNotYou : byMemberNotYou,
      ],
    },
    'order-changed': {
      subject: 'Se cambió una orden permanente',
      paragraphs: ({ money, iban, way, day, why, member, at }) => [
        `el ${at} se cambió el beneficiario o el importe de una orden permanente, ${why}. Ahora paga ${money} desde su cuenta que termina en ${iban}, ${way}, ${day}.`,
        member === '' ? orderNotYou : byMemberNotYou,
      ],
    },
    'card-payment': {
      subject: 'Un pago con tarjeta',
      paragraphs: ({ money, card, merchant, at, iban }) => [
        `se autorizaron ${money} con su tarjeta que termina en ${card}, en ${merchant}, el ${at}. Quedan reservados en su cuenta que termina en ${iban}.`,
        'Si fue usted, no hay nada que hacer. Si no, bloquee la tarjeta y avise al banco de inmediato.',
      ],
    },
    'card-declined': {
      subject: 'Se rechazó un pago con tarjeta',
      paragraphs: ({ money, card, merchant, at, why }) => [
        `un pago de ${money} con su tarjeta que termina en ${card}, en ${merchant}, se rechazó el ${at}: ${why}.`,
        'Si fue usted, no hay nada que hacer. Si no, bloquee la tarjeta y avise al banco de inmediato.',
      ],
    },
  },
}
