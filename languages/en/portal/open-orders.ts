// The texts in English of the standing orders that go on, where access is ended.

export const texts = {
  openOrders: {
    title: 'Standing orders that go on',
    text: 'Neither a new password nor the end of a session, a key or a program ends a standing order. The one changed last comes first: end each that you do not know.',
    none: 'No standing order goes on.',
    changedAt: 'Last made or changed:',
  },
}
