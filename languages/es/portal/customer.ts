// The texts in Spanish of what customers need daily.
import type { texts as english } from '../../en/portal/customer.ts'

export const texts: typeof english = {
  transfer: {
    title: 'Pagar',
    titleReview: 'Comprobar y confirmar',
    titleChecking: 'Estamos comprobando su pago',
    choose: 'Elija',
    chooseTarget: 'Elija a quién pagar.',
    ownAccounts: 'Sus cuentas',
    beneficiaries: 'Beneficiarios',
    newBeneficiary: 'Añadir un beneficiario',
    allFrozen: 'Todas sus cuentas están bloqueadas. No puede salir dinero de ellas.',
    available: (money) => `Ahora se pueden pagar ${money} desde ella.`,
    amountIn: (currency) => `Importe en ${currency}`,
    amountExample: (example) => `Por ejemplo ${example}`,
    amountRead: (money) => `Usted paga ${money}.`,
    referenceHint: 'Opcional. El destinatario lo ve.',
    when: 'Cuándo',
    whens: {
      now: 'Ahora',
      once: 'Un día',
      weekly: 'Cada semana',
      monthly: 'Cada mes',
      yearly: 'Cada año',
    },
    review: 'Continuar',
    change: 'Cambiar',
    elsewhere: (day, by) => `A otro banco el pago sale el ${day} y llega a más tardar el ${by}.`,
    pay: (money) => `Pagar ${money}`,
    paidBefore: (ago) => `Pagó lo mismo ${ago}. ¿Pagarlo otra vez?`,
    payAnyway: (money) => `Pagar ${money} de todos modos`,
    compared: {
      match: 'El nombre es el del titular.',
      close_match: (name) => `La cuenta es de ${name}. Compárelo con el nombre de su beneficiario.`,
      no_match: 'La cuenta es de otra persona. Pregunte a quien quiere pagar antes de seguir.',
      not_possible:
        'El banco del beneficiario no ha dicho si el nombre es correcto. Compare el IBAN con la factura.',
      failed: 'No se pudo comparar el nombre. Compare el IBAN con la factura.',
    },
    payAgain: (money) => `Pagar ${money} otra vez`,
    balanceNow: 'Saldo actual',
    beyond: 'Es más de lo que ahora se puede pagar desde la cuenta.',
    tooLate: (money) =>
      `No hemos podido averiguar si su pago de ${money} se hizo. Búsquelo en la cuenta antes de volver a pagar.`,
    toAccount: 'A la cuenta',
    forget: 'Ya lo he mirado',
    receipt: 'Justificante',
    told: {
      made: 'Su pago se ha hecho.',
      onItsWay: 'Su pago está aceptado. El banco lo envía al otro banco.',
      checked: 'Una respuesta se perdió por el camino. Su pago se ha hecho, y una sola vez.',
      duplicate: 'El mismo pago se hizo hace un momento. Es este; no se ha pagado nada otra vez.',
    },
    another: 'Nuevo pago',
  },
}
