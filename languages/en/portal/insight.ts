// The texts in English of what was spent.
import type { SpentKind } from '../../words.ts'
import { plural } from '../plural.ts'

export const texts = {
  insight: {
    month: 'Month',
    all: 'In all',
    soFar: (month: string) => `${month}, so far`,
    own: 'Moved to your own accounts, not counted:',
    note: 'Refunds and returned payments are deducted in the month in which they came.',
    byKind: 'By kind',
    byShop: 'By shop',
    what: 'What for',
    change: 'Change',
    drawn: (title: string) => `${title}, as bars. The table has the amounts.`,
    caption: (zone: string) => `Months are in ${zone}, largest first.`,
    moreShops: (count: number) => plural(count, 'other shop', 'other shops'),
    nothing: 'Nothing was spent in these two months.',
    tooMany: 'There are more than 25,000 entries in these two months, too many to sum up.',
    kinds: {
      transfer: 'Transfers',
      withdrawal: 'Cash withdrawals',
      capture: 'Reserved amounts',
      fee: 'Fees',
      interest: 'Interest',
      correction: 'Corrections',
    } satisfies Record<SpentKind, string>,
    shopKinds: {
      groceries: 'Groceries',
      eating: 'Restaurants and cafés',
      home: 'Home and garden',
      clothes: 'Clothes and shoes',
      health: 'Health and care',
      transport: 'Local transport',
      car: 'Car',
      travel: 'Travel',
      leisure: 'Leisure and media',
      devices: 'Phone and devices',
      services: 'Household bills',
      learning: 'Education',
      cash: 'Cash by card',
      otherShops: 'Other shops',
      erased: 'No longer kept',
    },
  },
}
