// The rules of a demo: who pays whom, when and how much.
import { createIban } from '../src/domain/iban.ts'
import type { Channel } from '../src/ledger/rules/authorizations.ts'
import type { Account, Resident } from './people.ts'

/** The moments of a day, in minutes after midnight; each is up to 70 minutes later. */
export const slots = {
  early: 330,
  morning: 480,
  office: 615,
  noon: 735,
  evening: 1020,
  night: 1140,
}
export type Slot = keyof typeof slots
/** `index` counts the days of the year from 0, `date` those of the month from 1. */
export type Day = { index: number; date: number; month: string }
export type Rule = {
  slot: Slot
  isDue(day: Day): boolean
  /** An account of the bank: money that the administrator books. `clearing`: from another bank. */
  from: Account | 'cash' | 'interest' | 'clearing'
  /** An account, a payee of the account that pays, or `fees`: that of the bank. */
  to: Account | string
  /** Minor units, or what follows from the balance of the account that pays, or of the customer. */
  amount: bigint | ((balance: bigint) => bigint)
  reference: string | ((day: Day) => string)
  /** Whose account at another bank it comes from. */
  payer?: { name: string; iban: string }
  /** By card, there; the money comes back a day after it was taken, or the shop clears it. */
  shop?: Merchant & { cardId: string; comesBack?: true; isCleared?: true }
  /** What becomes of it on the next day; a payment to another bank is settled otherwise. */
  nextDay?: 'return' | 'reversal'
}

type Merchant = {
  name: string
  /** ISO 18245. */
  category: string
  country: string
  channel: Channel
}
export const merchants = {
  grocer: { name: 'Lindner Lebensmittel', category: '5411', country: 'DE', channel: 'chip' },
  cafe: { name: 'Cafe Morgenrot', category: '5812', country: 'DE', channel: 'contactless' },
  bookshop: { name: 'Buchladen am Eck', category: '5942', country: 'DE', channel: 'chip' },
  trains: { name: 'Westbahn Tickets', category: '4112', country: 'AT', channel: 'online' },
  travel: { name: 'Reisen Fernweh', category: '4722', country: 'DE', channel: 'online' },
} as const satisfies Record<string, Merchant>

export const euros = (amount: number): bigint => BigInt(Math.round(amount * 100))
export const on = (index: number) => (day: Day) => day.index === index
export const monthly = (date: number) => (day: Day) => day.date === date

export const pay = (
  slot: Slot,
  isDue: Rule['isDue'],
  from: Account,
  to: Rule['to'],
  amount: Rule['amount'],
  reference: Rule['reference'],
): Rule => ({ slot, isDue, from, to, amount, reference })

export const payByCard = (
  slot: Slot,
  isDue: Rule['isDue'],
  { current, card }: Resident,
  at: keyof typeof merchants,
  amount: Rule['amount'],
): Rule & Required<Pick<Rule, 'shop'>> => ({
  ...pay(slot, isDue, current, at, amount, ''),
  shop: { ...merchants[at], cardId: card.id },
})

export const deposit = (
  isDue: Rule['isDue'],
  to: Account,
  amount: Rule['amount'],
  reference: string,
): Rule => ({ slot: 'office', isDue, from: 'cash', to, amount, reference })

/** The bank codes belong to no bank. */
const payers = {
  client: { name: 'Kessler Anlagenbau', iban: createIban('DE', '008800880000471100') },
  abroad: { name: 'Tiller and Rowe', iban: createIban('CH', '00088000000471100') },
}

/** A payment that comes from another bank. */
export const incoming = (
  isDue: Rule['isDue'],
  to: Account,
  amount: Rule['amount'],
  reference: Rule['reference'],
  payer: keyof typeof payers,
): Rule => ({
  slot: 'office',
  isDue,
  from: 'clearing',
  to,
  amount,
  reference,
  payer: payers[payer],
})

/** The fee of a month, in euros. */
export const fee = (from: Account, amount: number): Rule =>
  pay('early', monthly(28), from, 'fees', euros(amount), ({ month }) => `Account fee ${month}`)

/** 1.5 % a year, monthly, on the balance of that day. */
export const interest = (to: Account): Rule => ({
  slot: 'early',
  isDue: monthly(28),
  from: 'interest',
  to,
  amount: (balance) => (balance * 15n) / 12_000n,
  reference: ({ month }) => `Interest ${month}`,
})
