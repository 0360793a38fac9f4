// The texts in English of the standing orders that go on, where access is ended.

export const texts = {
  openOrders: {
    title: 'Standing orders that go on',
    text: 'Neither a new password nor the end of a session, a key or a program ends a standing order. The one changed last comes first: end each that you do not know.',
    none: 'No standing order goes on.',
    changedAt: 'Last made or changed:',
    madeBy: 'Made or changed by',
    heldBy: 'From the accounts of',
    maker: 'Made or changed by',
    makerHint: 'A user name, or the identifier of a person, program, session or key.',
    status: 'State',
    all: 'All',
    open: 'That go on',
    noneBy: 'There is no such order.',
    toAccount: 'To the account',
    changedByOther: 'changed by somebody else since',
    madeByOther: 'made by somebody else',
    allOf: 'All standing orders of these accounts',
    allBy: 'All standing orders made by this person',
    allByProgram: 'All standing orders made by this program',
  },
}
