// The texts in Spanish of what was spent.
import type { texts as english } from '../../en/portal/insight.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  insight: {
    month: 'Mes',
    all: 'En total',
    soFar: (month) => `${month}, hasta ahora`,
    own: 'Traspasado a sus cuentas, no incluido:',
    note: 'Los reembolsos y los pagos devueltos se descuentan en el mes en que llegaron.',
    byKind: 'Por tipo',
    byShop: 'Por comercio',
    what: 'En qué',
    change: 'Cambio',
    drawn: (title) => `${title}, en barras. La tabla tiene los importes.`,
    caption: (zone) => `Meses en ${zone}, los mayores primero.`,
    moreShops: (count) => plural(count, 'comercio más', 'comercios más'),
    nothing: 'En estos dos meses no se ha gastado nada.',
    tooMany: 'En estos dos meses hay más de 25 000 movimientos, demasiados para sumarlos.',
    kinds: {
      transfer: 'Transferencias',
      withdrawal: 'Retiradas',
      capture: 'Importes retenidos',
      fee: 'Comisiones',
      interest: 'Intereses',
      correction: 'Correcciones',
    },
    shopKinds: {
      groceries: 'Alimentación',
      eating: 'Restaurantes y cafés',
      home: 'Casa y jardín',
      clothes: 'Ropa y calzado',
      health: 'Salud y cuidado',
      transport: 'Transporte local',
      car: 'Coche',
      travel: 'Viajes',
      leisure: 'Ocio y medios',
      devices: 'Teléfono y aparatos',
      services: 'Gastos del hogar',
      learning: 'Educación',
      cash: 'Efectivo con tarjeta',
      otherShops: 'Otros comercios',
      erased: 'Ya no se conserva',
    },
  },
}
