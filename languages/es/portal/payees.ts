// The texts in Spanish of payees.
import type { texts as english } from '../../en/portal/payees.ts'

import { plural } from '../plural.ts'

export const texts: typeof english = {
  beneficiaries: {
    title: 'Beneficiarios',
    list: 'Beneficiarios guardados',
    add: 'Añadir un beneficiario',
    added: 'Se ha añadido el beneficiario.',
    none: 'Todavía no hay beneficiarios. Añada uno para pagar a otra persona.',
    deactivated: 'Desactivado',
    pay: 'Pagar',
    trusted: 'De confianza',
    trust: 'Confiar',
    untrust: 'Dejar de confiar',
    deactivate: 'Desactivar',
    reactivate: 'Reactivar',
    turned: {
      deactivate: (name) => `${name} está desactivado y no se puede pagar hasta reactivarlo.`,
      reactivate: (name) => `${name} vuelve a estar activo.`,
      trust: (name) => `Los pagos a ${name} ya no se confirman con un segundo factor.`,
      untrust: (name) => `${name} ya no es de confianza.`,
    },
    remove: 'Eliminar',
    removeTitle: (name) => `¿Eliminar a ${name}?`,
    removeText:
      'Es definitivo: para pagarle de nuevo hay que añadirlo otra vez. Los pagos anteriores se quedan como están. Para una pausa, desactívelo.',
    removeForGood: 'Eliminar definitivamente',
    removed: (name) => `Se ha eliminado a ${name}.`,
    name: 'Nombre',
    nameHint: 'De la persona o empresa titular de la cuenta',
    paste: 'Puede pegar el texto de un código QR de pago: lo rellena todo.',
    pasted:
      'El código QR ha rellenado el beneficiario, el importe y el concepto. Compárelos con la factura.',
    iban: 'IBAN',
    ibanHint: 'Con o sin espacios',
    nickname: 'Alias',
    nicknameHint: 'Opcional. Solo lo ve usted.',
    save: 'Guardar',
    once: 'Solo para este pago: no guardar el beneficiario',
    toPayment: 'Seguir con el pago',
    closeMatch: (name) => `La cuenta es de ${name}. Compárelo con el nombre que escribió.`,
    useName: (name) => `Escribir ${name}`,
    noMatch: 'La cuenta es de otra persona. Pregunte a quien quiere pagar antes de seguir.',
    notCompared:
      'El nombre no se ha podido comparar con el del titular. Compare el IBAN con la factura y, si duda, pregunte a quien quiere pagar.',
    goOn: 'Seguir con mi nombre',
    savedAlready: 'Esta cuenta ya tiene un beneficiario con este IBAN.',
    badIban: 'Esto no es un IBAN. Compárelo otra vez.',
    ownIban: 'Este es el IBAN de la propia cuenta. Un pago a ella no cambiaría nada.',
    search: 'Nombre o parte del IBAN',
    noneFound: 'Nada coincide.',
  },
  whom: {
    title: '¿A quién paga?',
    search: 'Nombre, IBAN o texto de un código QR',
    last: 'Últimos pagados',
    somebody: 'Alguien nuevo',
    somebodyNote: 'Nombre e IBAN; el nombre se compara antes de pagar',
    found: (count) => plural(count, 'beneficiario coincide', 'beneficiarios coinciden'),
  },
}
