// The text of every mail: plain and short, in the language of its recipient and in lines that no
// mail program has to break.
import { mails } from '../../../languages/mail.ts'
import type { MailWords } from '../../../languages/mail-words.ts'
import { type RunRefusal, textOfWord } from '../../../languages/words.ts'
import type { Days } from '../../domain/days.ts'
import { defaultLanguage, isLanguage, type Language } from '../../domain/languages.ts'
import { LoggedError } from '../../domain/logged-error.ts'
import type { Rhythm } from '../../domain/calendar/rhythm.ts'
import type { DeclineReason } from '../../ledger/rules/authorizations.ts'
import type { ByMember } from './about-sql.ts'
import type { DisputeStep, MailKind } from './kinds.ts'
import type { ToldMembership } from './members-sql.ts'
import { alertsPerHour } from './sql.ts'
import { breakLinks } from './break-links.ts'
import { dayText, moneyText, timeText } from './notation.ts'

/** What a mail may say about its recipient. */
export type Addressee = { username: string; givenName: string; language: string | null }

/** The token of a link that sets a password or replaces factors, and its expiry. */
export type Link = { token: string; expiresAt: number }

/** A payment as its payer is told of it. Only the last four characters of an IBAN are told. */
export type Payment = ByMember & {
  kind: string
  amount: bigint
  currency: string
  iban: string
  payeeIban: string | null
}

/** A run of a standing order that was refused. */
export type Run = Pick<Payment, 'amount' | 'currency' | 'iban'> & {
  /** `2026-01-31` */
  dueOn: string
  refusal: string | null
}

/** The terms of a standing order from a change on. */
export type OrderedTerms = ByMember &
  Omit<Payment, 'kind'> & {
    rhythm: string
    /** `2026-01-31` */
    nextOn: string
    /** A program set them, not the person. */
    isProgram: boolean
  }

/** What a processor asked for a card, and why it was declined; null: it was not. */
export type CardRequest = Pick<Payment, 'amount' | 'currency' | 'iban'> & {
  lastFour: string
  merchant: string | null
  reason: string | null
}

/** A card payment that is disputed; of a chargeback its amount. */
export type DisputedPayment = Pick<CardRequest, 'amount' | 'currency' | 'lastFour' | 'merchant'> & {
  step: DisputeStep
}

/** Money that came to an account, as its owner is told of it. */
export type Arrival = Pick<Payment, 'kind' | 'amount' | 'currency' | 'iban'> & {
  payerIban: string | null
}

/** An account whose balance is below that amount, or that lacks it. */
export type LowBalance = Pick<Payment, 'amount' | 'currency' | 'iban'>

/** A payment list that was ordered. */
export type OrderedList = ByMember &
  Pick<Payment, 'amount' | 'currency' | 'iban'> & {
    count: number
    refusedCount: number
    /** `2026-01-31`; null: at once. */
    executeOn: string | null
    isProgram: boolean | null
  }

/** A payment that a person prepared for others to sign. */
export type DraftedPayment = Omit<Payment, 'kind' | keyof ByMember> & {
  makerName: string | null
  /** Those who have signed it beside its maker, in the order of their signatures. */
  signerNames: readonly (string | null)[]
}

/** What a mail is about. */
export type About = {
  publicUrl: string
  bankName: string
  days: Days
  /** When it happened, in milliseconds since the epoch. */
  at: number
  link?: Link | undefined
  payment?: Payment | undefined
  run?: Run | undefined
  ordered?: OrderedTerms | undefined
  authorization?: CardRequest | undefined
  disputed?: DisputedPayment | undefined
  arrival?: Arrival | undefined
  low?: LowBalance | undefined
  list?: OrderedList | undefined
  draft?: DraftedPayment | undefined
  member?: ToldMembership | undefined
}

export type MailText = { subject: string; text: string }

/** Makes the words of what a mail is about. Throws when it is not told that. */
type Tell = (about: About, language: Language) => { [Word in keyof MailWords]?: MailWords[Word] }

/**
 * Always at the configured origin, whatever a request says. The token is in the fragment, which a
 * browser does not send, so it reaches no log on the way.
 */
const linkWords =
  (page: string): Tell =>
  ({ publicUrl, link, days }, language) => {
    if (!link) throw new LoggedError('This mail needs a link')
    return {
      link: `${publicUrl}/portal/${page}#token=${link.token}`,
      until: timeText(link.expiresAt, language, days),
    }
  }

function paymentWords({ payment }: About, language: Language) {
  if (!payment) throw new LoggedError('This mail needs a payment')
  const { kind, iban, payeeIban } = payment
  const { inCash, reserved, toAccount } = mails[language]
  const toBank = kind === 'capture' ? reserved : inCash
  return {
    money: moneyText(payment, language),
    iban: iban.slice(-4),
    way: payeeIban === null ? toBank : toAccount(payeeIban.slice(-4)),
    member: payment.isByMember ? personName(payment.memberName, language) : '',
  }
}

const personName = (name: string | null, language: Language): string =>
  name === null ? mails[language].formerMember : shortened(name, nameLengthMax)

/** `Ada Okafor and Ben Lindqvist`. */
const joined = (names: readonly (string | null)[], language: Language): string =>
  new Intl.ListFormat(language).format(names.map((name) => personName(name, language)))

/** Who made an order or a list. */
function makerWords(
  { isProgram, isByMember, memberName }: ByMember & { isProgram: boolean | null },
  language: Language,
) {
  const { byLogin, byMember, byProgram } = mails[language]
  const member = isByMember ? personName(memberName, language) : ''
  if (isByMember) return { member, why: byMember(breakLinks(member)) }
  return { member, why: isProgram ? byProgram : byLogin }
}

function memberWords({ member: about, days }: About, language: Language) {
  if (!about) throw new LoggedError('This mail needs a membership')
  const { rights, perPayment, perDay, until, currency } = about
  const words = mails[language].members
  const money = (amount: bigint) => moneyText({ amount, currency }, language)
  return {
    member: personName(about.memberName, language),
    owner: personName(about.ownerName, language),
    iban: about.iban.slice(-4),
    rights: [
      words.rights[rights],
      ...(perPayment === null ? [] : [words.perPayment(money(perPayment))]),
      ...(perDay === null ? [] : [words.perDay(money(perDay))]),
      ...(until === null ? [] : [words.until(timeText(until.getTime(), language, days))]),
    ].join(', '),
  }
}

const endedWords: Tell = (about, language) => {
  const { endedAt = null, endedBy = null } = about.member ?? {}
  if (!endedAt || !endedBy) throw new LoggedError('This mail needs a membership that has ended')
  return {
    ...memberWords(about, language),
    at: timeText(endedAt.getTime(), language, about.days),
    why: mails[language].members.enders[endedBy],
  }
}

function orderWords({ ordered }: About, language: Language) {
  if (!ordered) throw new LoggedError('This mail needs a standing order')
  const { iban, payeeIban, rhythm, nextOn } = ordered
  const { toAccount, toDeletedPayee, rhythms } = mails[language]
  return {
    money: moneyText(ordered, language),
    iban: iban.slice(-4),
    way: payeeIban === null ? toDeletedPayee : toAccount(payeeIban.slice(-4)),
    day: rhythms[rhythm as Rhythm](dayText(nextOn, language)),
    ...makerWords(ordered, language),
  }
}

function runWords({ run }: About, language: Language) {
  if (!run) throw new LoggedError('This mail needs a run of a standing order')
  const { iban, dueOn, refusal } = run
  const { refusals, notMade } = mails[language]
  return {
    money: moneyText(run, language),
    iban: iban.slice(-4),
    day: dayText(dueOn, language),
    why: textOfWord(refusals, refusal as RunRefusal, notMade),
  }
}

/** @param name of the number that it tells */
const listWords =
  (name: 'count' | 'refusedCount'): Tell =>
  ({ list }, language) => {
    if (!list) throw new LoggedError('This mail needs a payment list')
    const { atOnce, onDay } = mails[language]
    return {
      money: moneyText(list, language),
      count: `${list[name]}`,
      iban: list.iban.slice(-4),
      day: list.executeOn === null ? atOnce : onDay(dayText(list.executeOn, language)),
      ...makerWords(list, language),
    }
  }

function draftWords({ draft }: About, language: Language) {
  if (!draft) throw new LoggedError('This mail needs a payment draft')
  const { iban, payeeIban, makerName, signerNames } = draft
  const { toAccount, toDeletedPayee } = mails[language]
  return {
    money: moneyText(draft, language),
    iban: iban.slice(-4),
    way: payeeIban === null ? toDeletedPayee : toAccount(payeeIban.slice(-4)),
    member: personName(makerName, language),
    signers: joined(signerNames, language),
  }
}

function cardWords({ authorization }: About, language: Language) {
  if (!authorization) throw new LoggedError('This mail needs an authorization')
  const { iban, lastFour: card, merchant, reason } = authorization
  const { declines, notApproved } = mails[language]
  return {
    money: moneyText(authorization, language),
    iban: iban.slice(-4),
    card,
    merchant: merchant === null ? '-' : shortened(merchant),
    why: textOfWord(declines, reason as DeclineReason, notApproved),
  }
}

function disputeWords({ disputed }: About, language: Language) {
  if (!disputed) throw new LoggedError('This mail needs a disputed payment')
  const { lastFour: card, merchant, step } = disputed
  return {
    card,
    merchant: merchant === null ? '-' : shortened(merchant),
    why: mails[language].disputeSteps[step](moneyText(disputed, language)),
  }
}

function arrivalWords({ arrival }: About, language: Language) {
  if (!arrival) throw new LoggedError('This mail needs money that arrived')
  const { iban, payerIban } = arrival
  const { fromAccount, fromElsewhere } = mails[language]
  return {
    money: moneyText(arrival, language),
    iban: iban.slice(-4),
    way: payerIban === null ? fromElsewhere : fromAccount(payerIban.slice(-4)),
  }
}

function lowWords({ low }: About, language: Language) {
  if (!low) throw new LoggedError('This mail needs the account of a low balance')
  return { money: moneyText(low, language), iban: low.iban.slice(-4) }
}

const nameLengthMax = 70
/** A name without a space would make a line of its length. */
const shortened = (name: string, lengthMax = 40): string =>
  name.length > lengthMax ? `${[...name].slice(0, lengthMax).join('')}…` : name

/** Longer ones are broken by some mail programs (RFC 5322, 2.1.1). */
const lineLengthMax = 76

/** The paragraph in lines; a word that is longer, such as a link, is not broken. */
function inLines(paragraph: string): string {
  const lines: string[] = []
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > lineLengthMax) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}

/** Whose each word is: what people and programs outside the bank have chosen becomes no link. */
const authors = {
  username: 'bank',
  link: 'bank',
  until: 'bank',
  at: 'bank',
  iban: 'bank',
  money: 'bank',
  count: 'bank',
  way: 'bank',
  card: 'bank',
  merchant: 'others',
  day: 'bank',
  why: 'bank',
  member: 'others',
  signers: 'others',
  owner: 'others',
  rights: 'bank',
  publicUrl: 'bank',
  alertsPerHour: 'bank',
} as const satisfies Record<keyof MailWords, 'bank' | 'others'>

/** The only way of words into a mail. */
const withoutLinks = (words: MailWords): MailWords => {
  const all = Object.entries(words) as [keyof MailWords, string | number][]
  const made = all.map(([word, text]) => {
    return [word, authors[word] === 'others' ? breakLinks(`${text}`) : text]
  })
  return Object.fromEntries(made) as MailWords
}

const nothing: Tell = () => ({})

/** What each mail tells beside its recipient and its time. */
const tellers = {
  reset: linkWords('reset'),
  invitation: linkWords('reset'),
  'factor-reset': linkWords('factor-reset'),
  'email-proof': linkWords('email'),
  payment: paymentWords,
  'order-refused': runWords,
  'order-paused': runWords,
  'order-made': orderWords,
  'order-changed': orderWords,
  'list-ordered': listWords('count'),
  'list-refused': listWords('refusedCount'),
  'signatures-lowered': nothing,
  'draft-waiting': draftWords,
  'draft-paid': draftWords,
  'draft-ended': draftWords,
  'member-invited': memberWords,
  'member-joined': memberWords,
  'member-changed': memberWords,
  'member-ended': endedWords,
  'card-payment': cardWords,
  'card-declined': cardWords,
  'card-dispute': disputeWords,
  'password-changed': nothing,
  'email-changed': nothing,
  'email-set': nothing,
  'email-asked': nothing,
  'new-device': nothing,
  'phone-changed': nothing,
  'alerts-paused': nothing,
  'webhook-disabled': nothing,
  'factor-added': nothing,
  'factor-removed': nothing,
  'recovery-codes-made': nothing,
  'recovery-code-used': nothing,
  'wrong-factor': nothing,
  'codes-refused': nothing,
  'issuer-linked': nothing,
  'issuer-unlinked': nothing,
  'limits-raised': nothing,
  'notices-off': nothing,
  'money-arrived': arrivalWords,
  'balance-below': lowWords,
  'account-overdrawn': lowWords,
} as const satisfies Record<MailKind, Tell>

const untold = { link: '', until: '', money: '', count: '', iban: '', way: '', card: '', day: '' }
const noNames = { member: '', signers: '', owner: '', rights: '' }
const noWords = { ...untold, ...noNames, merchant: '', why: '' }

/** The subject and text of a mail. Throws when it is not given the link or payment it needs. */
export function renderMail(kind: MailKind, to: Addressee, about: About): MailText {
  const language = to.language !== null && isLanguage(to.language) ? to.language : defaultLanguage
  const { hello, mails: kinds } = mails[language]
  const words: MailWords = {
    username: to.username,
    publicUrl: about.publicUrl,
    alertsPerHour,
    at: timeText(about.at, language, about.days),
    ...noWords,
    ...tellers[kind](about, language),
  }
  const { subject, paragraphs } = kinds[kind]
  const all = [hello(breakLinks(to.givenName)), ...paragraphs(withoutLinks(words)), about.bankName]
  return { subject, text: `${all.map(inLines).join('\n\n')}\n` }
}
