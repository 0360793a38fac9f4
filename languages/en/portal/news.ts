// The texts in English of what has changed on the accounts while a page is open.

export const texts = {
  news: {
    arrived: (money: string, name: string | null | undefined) =>
      name ? `You received ${money} from ${name}.` : `You received ${money}.`,
    manyArrived: (count: string) => `You received ${count} payments.`,
    changed: 'Balances or entries have changed.',
    show: 'Show',
  },
}
