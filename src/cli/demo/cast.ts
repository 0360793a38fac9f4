// Who lives in the demo: people, shops and the firms elsewhere that are paid. Their names are made
// up, their e-mail addresses belong to a domain kept for examples (RFC 2606), their telephone
// numbers to those the Bundesnetzagentur keeps for films, and no real bank holds their IBANs.
import type { Currency } from '../../domain/money.ts'

export type Business = {
  given: string
  family: string
  name: string
  trade: 'employer' | 'landlord' | 'grocer' | 'cafe' | 'bookshop'
}

/** Customers with a shop: the other customers work for them, rent from them and buy from them. */
export const businesses: readonly Business[] = [
  { given: 'Ingrid', family: 'Falk', name: 'Nordlicht Software', trade: 'employer' },
  { given: 'Deniz', family: 'Yilmaz', name: 'Yilmaz Maschinenbau', trade: 'employer' },
  { given: 'Jonas', family: 'Brandt', name: 'Hausverwaltung Brandt', trade: 'landlord' },
  { given: 'Petra', family: 'Lindner', name: 'Lindner Lebensmittel', trade: 'grocer' },
  { given: 'Tomasz', family: 'Wolski', name: 'Cafe Morgenrot', trade: 'cafe' },
  { given: 'Amara', family: 'Diallo', name: 'Buchladen am Eck', trade: 'bookshop' },
]

export type Resident = {
  given: string
  family: string
  /** Net, per month, in euros. */
  salary: number
  /** Which of the two employers. */
  employer: 0 | 1
  /** Another currency an account is held in. */
  abroad?: Currency
  /** On which day of the year the account is opened; absent: long before. */
  joins?: number
}

const resident = (
  given: string,
  family: string,
  salary: number,
  employer: 0 | 1,
  more: Pick<Resident, 'abroad' | 'joins'> = {},
): Resident => ({ given, family, salary, employer, ...more })

export const residents: readonly Resident[] = [
  resident('Mira', 'Hoffmann', 3420, 0, { abroad: 'USD' }),
  resident('Leon', 'Krause', 2780, 1),
  resident('Aylin', 'Demir', 3950, 0),
  resident('Oskar', 'Neumann', 2410, 1),
  resident('Sofia', 'Rossi', 4120, 0, { abroad: 'CHF' }),
  resident('Emil', 'Sommer', 2650, 1),
  resident('Hannah', 'Vogt', 3180, 0),
  resident('Kwame', 'Mensah', 3640, 0, { abroad: 'GBP' }),
  resident('Lucia', 'Moreno', 2890, 1),
  resident('Anton', 'Petrov', 2540, 1),
  resident('Yuki', 'Tanaka', 5210, 0, { abroad: 'JPY' }),
  resident('Clara', 'Weiss', 2980, 1),
  resident('Noah', 'Engel', 2360, 1),
  resident('Fatima', 'Haddad', 4480, 0, { abroad: 'KWD' }),
  resident('Paul', 'Jansen', 3310, 1),
  resident('Ines', 'Carvalho', 2720, 0),
  resident('Viktor', 'Lang', 3870, 0),
  resident('Greta', 'Holm', 2590, 1, { abroad: 'SEK' }),
  resident('Samir', 'Nasser', 3050, 1),
  resident('Julia', 'Kowalska', 3490, 0, { joins: 40 }),
  resident('Max', 'Winkler', 2470, 1, { joins: 75 }),
  resident('Elena', 'Popescu', 3260, 0, { joins: 131, abroad: 'USD' }),
  resident('Felix', 'Baumann', 2830, 1, { joins: 190 }),
  resident('Nadia', 'Rahimi', 3010, 0, { joins: 244 }),
]

export const staff = [
  { given: 'Agnes', family: 'Moreau', role: 'support-agent' },
  { given: 'Bjarne', family: 'Olsen', role: 'support-agent' },
  { given: 'Ruth', family: 'Keller', role: 'admin' },
] as const

/** Firms at other banks. Bank codes that begin with 0 or 00 are given to nobody. */
export const elsewhere = {
  power: { name: 'Stadtwerke Havel', country: 'DE', bank: '00880088', length: 10 },
  phone: { name: 'Fernnetz Mobil', country: 'DE', bank: '00990099', length: 10 },
  insurance: { name: 'Alpen Versicherung', country: 'AT', bank: '00088', length: 11 },
  homes: { name: 'Wohnbau Nord', country: 'DE', bank: '00880088', length: 10 },
  trains: { name: 'Westbahn Tickets', country: 'AT', bank: '00099', length: 11 },
  wholesale: { name: 'Grosshandel Spree', country: 'DE', bank: '00990099', length: 10 },
  family: { name: 'Family abroad', country: 'CH', bank: '00088', length: 12 },
} as const
export type Elsewhere = keyof typeof elsewhere

export const streets = ['Lindenweg', 'Hafenstrasse', 'Am Kanal', 'Rosengasse', 'Mühlenweg']

/** `mira.hoffmann`: the user name, and the e-mail address before the @. */
export const toUsername = ({ given, family }: { given: string; family: string }): string =>
  `${given}.${family}`.toLowerCase()
