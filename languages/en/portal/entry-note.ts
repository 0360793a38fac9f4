// The texts in English of an own note on an entry.

export const texts = {
  entryNote: {
    title: 'Note',
    add: 'Add a note',
    change: 'Change',
    hint: 'Only you see it. Empty: there is no note.',
    badText: 'Only letters, digits and common signs, and no card number.',
  },
}
