// The texts in Spanish of many postings at once.
import type { texts as english } from '../../en/portal/many-postings.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  postings: {
    rows: 'Filas',
    meaning: (most) =>
      `Un asiento por línea, hasta ${most}, con tabuladores como los copia una hoja de cálculo, o en CSV. Cada lado es un IBAN o identificador de la cuenta de un cliente, o el código de una cuenta del banco, como fees; uno de ellos es del banco. El tipo es comisión, intereses o corrección.`,
    numberHint:
      'Una fila con el mismo número se contabiliza una vez. Una fila sin número recibe uno propio para esta comprobación.',
    file: 'Tomar las filas de un archivo',
    wrong: 'No se ha contabilizado nada: hay que corregir estas líneas.',
    line: (line, message) => `Línea ${line}: ${message}`,
    tooMany: (most) => `Hay más de ${most} filas. Contabilícelas por partes.`,
    looking: (done, all) => `Buscando la cuenta ${done + 1} de ${all} …`,
    faults: {
      cells: (head) => `Sus columnas no son ${head}.`,
      side: (text) => `«${text}» no es un IBAN, ni un identificador, ni un código.`,
      sides: 'Uno de los lados tiene que ser una cuenta del banco.',
      same: 'Ambos lados son la misma cuenta.',
      currency: (text) => `«${text}» no es una moneda del banco.`,
      kind: (kinds) => `El tipo no es ninguno de estos: ${kinds}.`,
      long: (most) => `Un texto tiene más de ${most} letras.`,
      quote: 'Falta cerrar unas comillas.',
      twice: (number) => `El número ${number} aparece dos veces.`,
      noBank: (code, currency) => `El banco no tiene la cuenta «${code}» en ${currency}.`,
      noAccount: (text) => `Ninguna cuenta tiene ${text}.`,
    },
    directions: {
      out: 'Cargado a clientes',
      in: 'Abonado a clientes',
      between: 'Entre cuentas del banco',
    },
    count: (count) => plural(count, 'asiento', 'asientos'),
    from: 'De',
    to: 'A',
    kind: 'Tipo',
    number: 'Número',
    outcome: 'Resultado',
    caption: 'Asientos por línea',
    confirm: (count) => `Contabilizar ${plural(count, 'asiento', 'asientos')}`,
    secondPerson:
      'Aquí cada asiento espera a una segunda persona. Solicite cada uno: no se contabiliza nada antes de su aprobación.',
    askEach: 'Solicitar cada uno',
    asking: (done, all) => `${done} de ${all} solicitados.`,
    result: 'Qué pasó con cada uno',
    booked: 'Contabilizado',
    waits: 'Espera a una segunda persona',
    summaryBooked: (count) =>
      `${plural(count, 'asiento contabilizado', 'asientos contabilizados')}.`,
    summaryWaits: (count) =>
      `${plural(count, 'asiento espera', 'asientos esperan')} a una segunda persona.`,
    summaryRefused: (count) => `${plural(count, 'asiento rechazado', 'asientos rechazados')}.`,
    takeUp: 'Retomar las filas rechazadas',
    another: 'Contabilizar otros',
  },
}
