// ISO 20022 bank transaction codes (BTC) of the entries of a camt.053.
import { isInSepa } from '../../domain/iban.ts'
import type { Currency } from '../../domain/money.ts'
import type { Channel } from '../../ledger/rules/authorizations.ts'
import type { Kind } from '../../ledger/rules/movement.ts'

/** What the code of an entry depends on. */
export type CodedEntry = {
  kind: Kind
  isCredit: boolean
  currency: Currency
  /** False when it went to an account at another bank. */
  isInternal: boolean
  /**
   * The countries of the account and of the other side, by their IBANs; undefined where there is
   * none.
   */
  countries: readonly [own: string | undefined, other: string | undefined]
  isRunOfOrder: boolean
  channel: Channel | undefined
}

/** `proprietary` is a code of this service, where ISO 20022 has none that tells as much. */
export type TransactionCode = {
  domain: string
  family: string
  subFamily: string
  proprietary?: string
}

const payment = (family: string, subFamily: string): TransactionCode => ({
  domain: 'PMNT',
  family,
  subFamily,
})

/** Received or issued credit transfers. */
const creditTransfer = ({ isCredit }: CodedEntry, subFamily: string): TransactionCode =>
  payment(isCredit ? 'RCDT' : 'ICDT', subFamily)

/** Miscellaneous operations that credit an account, or debit it. */
const miscellaneous = ({ isCredit }: CodedEntry): string => (isCredit ? 'MCOP' : 'MDOP')

const management = (entry: CodedEntry, subFamily: string): TransactionCode => ({
  domain: 'ACMT',
  family: miscellaneous(entry),
  subFamily,
})

/**
 * The code of a payment between two banks: SEPA, domestic or cross-border; other where one is
 * unknown.
 */
function betweenBanks({ currency, countries: [own, other] }: CodedEntry): string {
  if (own === undefined || other === undefined) return 'OTHR'
  if (currency === 'EUR' && isInSepa(own) && isInSepa(other)) return 'ESCT'
  return own === other ? 'DMCT' : 'XBCT'
}

/** A shop on the Internet is no point of sale, and has no sub-family. */
const cardCodes = {
  chip: payment('CCRD', 'POSD'),
  contactless: payment('CCRD', 'POSD'),
  cash: payment('CCRD', 'CWDL'),
  online: { ...payment('CCRD', 'OTHR'), proprietary: 'ONLINE' },
} as const satisfies Record<Channel, TransactionCode>

const ofCard = ({ channel }: CodedEntry): TransactionCode =>
  channel === undefined ? payment('CCRD', 'OTHR') : cardCodes[channel]

const byKind = {
  transfer(entry) {
    // An order is its payer's own matter.
    if (entry.isRunOfOrder && !entry.isCredit) return creditTransfer(entry, 'STDO')
    return creditTransfer(entry, entry.isInternal ? 'BOOK' : betweenBanks(entry))
  },
  incoming: (entry) => creditTransfer(entry, betweenBanks(entry)),
  reversal: (entry) => creditTransfer(entry, 'RPCR'),
  cancellation: (entry) => creditTransfer(entry, 'RPCR'),
  return: (entry) => creditTransfer(entry, 'RRTN'),
  deposit: () => payment('CNTR', 'CDPT'),
  withdrawal: () => payment('CNTR', 'CWDL'),
  // A seizure or a dispute: the entry does not tell them apart.
  capture: (entry) => payment(miscellaneous(entry), 'OTHR'),
  card: ofCard,
  // A shop is paid late as it is in time.
  clearing: ofCard,
  refund: () => payment('CCRD', 'RIMB'),
  // An adjustment that credits or debits: no sub-family of cards tells of a dispute.
  chargeback: () => ({ ...payment('CCRD', 'CAJT'), proprietary: 'CHARGEBACK' }),
  takeback: () => ({ ...payment('CCRD', 'DAJT'), proprietary: 'CHARGEBACK-REVERSAL' }),
  fee: (entry) => management(entry, 'CHRG'),
  interest: (entry) => management(entry, 'INTR'),
  correction: (entry) => management(entry, 'ADJT'),
} as const satisfies Record<Kind, (entry: CodedEntry) => TransactionCode>

export const toTransactionCode = (entry: CodedEntry): TransactionCode => byKind[entry.kind](entry)
