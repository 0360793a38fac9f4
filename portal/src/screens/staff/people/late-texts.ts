// Texts of what the page of a person shows last: loaded behind it.

export const lateTexts = {
  person: ['accounts', 'disputes', 'caller', 'factors', 'audit', 'auditDetails', 'ledger', 'cards'],
} as const
