// The form of a bank in a folder: one file of lines for each kind of thing, and the totals that it
// has to agree with. `strongroom import` reads it, `strongroom export` writes it.
import { type Static, type TSchema, Type } from '../../domain/type.ts'
import { holidayRules } from '../../domain/calendar/business-days.ts'
import { Email, LanguageCode, Username } from '../../features/users/schemas.ts'
import { Iban } from '../../domain/iban.ts'
import { currencies } from '../../domain/money.ts'
import { Phone } from '../../domain/phone.ts'
import { rhythms } from '../../domain/calendar/rhythm.ts'
import {
  Amount,
  closed,
  Currency,
  Day,
  FamilyName,
  GivenName,
  Name,
  Nickname,
  NoteText,
  oneOf,
  OptionalText,
  PostalAddress,
  Reason,
  SignedAmount,
  Time,
} from '../../domain/schema.ts'
import { blockCauses } from '../../ledger/rules/blocks.ts'

/** What the other bank calls a thing; nothing is told by it here. */
const SourceId = Type.String({ pattern: '^[A-Za-z0-9._:-]+$', minLength: 1, maxLength: 64 })

const Person = closed({
  sourceId: SourceId,
  username: Username,
  email: Email,
  givenName: GivenName,
  familyName: FamilyName,
  phone: Type.Optional(Phone),
  address: Type.Optional(PostalAddress),
  language: Type.Optional(LanguageCode),
  status: Type.Optional(oneOf(['active', 'disabled'])),
})

const Account = closed({
  sourceId: SourceId,
  owner: SourceId,
  iban: Iban,
  currency: Currency,
  name: Type.Optional(Name),
  status: Type.Optional(oneOf(['active', 'frozen', 'closed'])),
  frozenBecause: Type.Optional(Reason),
  overdraftLimit: Type.Optional(Amount),
  dailyTransferLimit: Type.Optional(Amount),
  ownPerPayment: Type.Optional(Amount),
  ownPerDay: Type.Optional(Amount),
  registeredPhone: Type.Optional(Phone),
  alertsEnabled: Type.Optional(Type.Boolean()),
})

const Balance = closed({
  account: SourceId,
  amount: SignedAmount,
  currency: Currency,
  /** Since when it is below the overdraft limit: only of such an amount. */
  unarrangedSince: Type.Optional(Time),
})

const Beneficiary = closed({
  sourceId: SourceId,
  account: SourceId,
  name: Name,
  iban: Iban,
  nickname: Type.Optional(Nickname),
  status: Type.Optional(oneOf(['active', 'deactivated'])),
})

const Order = closed({
  sourceId: SourceId,
  account: SourceId,
  beneficiary: Type.Optional(SourceId),
  toAccount: Type.Optional(SourceId),
  amount: Amount,
  currency: Currency,
  reference: Type.Optional(OptionalText),
  rhythm: oneOf(rhythms),
  firstOn: Day,
  lastOn: Type.Optional(Day),
  nextOn: Day,
  retryDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  onHoliday: Type.Optional(oneOf(holidayRules)),
  status: Type.Optional(oneOf(['active', 'paused'])),
})

const Block = closed({
  sourceId: SourceId,
  account: SourceId,
  debits: Type.Boolean(),
  credits: Type.Boolean(),
  cause: oneOf(blockCauses),
  note: NoteText,
  until: Type.Optional(Time),
})

/** What the former bank booked: shown, and no part of the books. */
const FormerEntry = closed({
  sourceId: SourceId,
  account: SourceId,
  bookedOn: Day,
  amount: SignedAmount,
  currency: Currency,
  counterpartyName: Type.Optional(Name),
  counterpartyIban: Type.Optional(Iban),
  reference: Type.Optional(OptionalText),
})

/** In the order in which they are read: what a line names stands in a file before. */
export const lineSchemas = {
  people: Person,
  accounts: Account,
  blocks: Block,
  balances: Balance,
  beneficiaries: Beneficiary,
  orders: Order,
  history: FormerEntry,
} as const
export type LineFile = keyof typeof lineSchemas
export const lineFiles = Object.keys(lineSchemas) as LineFile[]
export type LineOf<F extends LineFile> = Static<(typeof lineSchemas)[F]>

export const fileName = (file: LineFile): string => `${file}.ndjson`
export const totalsName = 'totals.json'

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
export const Totals = closed({
  format: oneOf(['strongroom-1']),
  people: count,
  accounts: count,
  blocks: count,
  beneficiaries: count,
  orders: count,
  history: count,
  currencies: closed(
    Object.fromEntries(
      currencies.map((currency) => [
        currency,
        Type.Optional(closed({ accounts: count, sum: SignedAmount })),
      ]),
    ),
    { description: 'Of each currency: how many accounts there are, and what is in all of them.' },
  ),
})
type CurrencyTotals = Record<string, { accounts: number; sum: string }>
export type Totals = Omit<Static<typeof Totals>, 'currencies'> & { currencies: CurrencyTotals }

/** Keywords of this service alone, and the links between its own schemas. */
const isForeignKeyword = (key: string): boolean => key.startsWith('x-') || key.startsWith('~')

const plain = (schema: TSchema): unknown =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (isForeignKeyword(key) ? undefined : value)),
  )

/** The form as JSON Schema, for programs that write such a folder. */
export const importSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A bank in a folder',
  description:
    'Each line of people.ndjson is one value of `$defs/people`, and so on; totals.json is one of ' +
    '`$defs/totals`. Lines are UTF-8 and end with a line feed.',
  $defs: {
    ...Object.fromEntries(
      Object.entries(lineSchemas).map(([file, schema]) => [file, plain(schema)]),
    ),
    totals: plain(Totals),
  },
})
