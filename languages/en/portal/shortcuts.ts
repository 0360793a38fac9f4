// The texts in English of the list of keyboard shortcuts.

export const texts = {
  shortcuts: {
    title: 'Keyboard shortcuts',
    search: 'Search',
    home: 'Accounts',
    transfer: 'New payment',
    help: 'This list',
    off: 'They can be switched off in the preferences.',
  },
}
