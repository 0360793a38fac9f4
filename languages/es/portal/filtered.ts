// The texts in Spanish of the sum of entries that were searched, and of their file.
import type { texts as english } from '../../en/portal/filtered.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  filtered: {
    quoted: (text) => `«${text}»`,
    noneFound: (hasMore) =>
      hasMore
        ? 'Ningún movimiento reciente coincide con los filtros. Faltan por buscar los más antiguos.'
        : 'Ningún movimiento coincide con los filtros.',
    sum: (count) => `Suma de ${plural(count, 'movimiento', 'movimientos')}`,
    addUp: 'Sumar todos',
    download: 'Descargar (CSV)',
    reading: (count) => `Leyendo: ${plural(count, 'movimiento', 'movimientos')} hasta ahora.`,
    tooMany: (most) =>
      `Aquí se suman y se descargan hasta ${most} movimientos. Elija un período más corto o un extracto.`,
    day: 'Día',
    kind: 'Tipo',
    name: 'Nombre',
    currency: 'Moneda',
  },
}
