// The texts in English of what a caller asks of, on the page of a person.
import { plural } from '../plural.ts'

export const texts = {
  caller: {
    events: 'Last events',
    refused: 'Refused lately',
    noRefused: 'Nothing was refused.',
    payees: 'Payees',
    noPayees: 'This person has saved no payee.',
    deactivated: 'Deactivated',
    trusted: 'Trusted',
    added: 'Added',
    factors: 'Second factors',
    noFactor: 'No second factor: a password alone opens the bank.',
    mustEnrol: 'No second factor yet: the next sign-in asks for one.',
    codesLeft: (count: number) => `${plural(count, 'recovery code', 'recovery codes')} left.`,
  },
}
