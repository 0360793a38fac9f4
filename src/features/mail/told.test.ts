// What mails say, of every kind and in every language; and which of payments, orders and cards are
// sent, to whom, with alerts on and off.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Email } from 'postal-mime'
import { mails } from '../../../languages/mail.ts'
import { newProcessor, toTill } from '../../../test/support/card-payments.ts'
import { deposit, openAccount } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { type PersonName, world } from '../../../test/support/world.ts'
import { always, createDays } from '../../domain/days.ts'
import type { Currency } from '../../domain/money.ts'
import { type Language, languages } from '../../domain/languages.ts'
import { declineReasons } from '../../ledger/rules/authorizations.ts'
import type { Ender } from '../../gate/members.ts'
import { type MailKind, mailKinds } from './kinds.ts'
import { type About, type Payment, renderMail } from './templates.ts'

const berlin = createDays([{ since: always, timeZone: 'Europe/Berlin' }])
const at = Date.UTC(2026, 6, 31, 22, 30)
const iban = 'DE89370400440532013000'
const link = { token: 'x'.repeat(43), expiresAt: at + 3_600_000 }

/** Amounts with all their minor digits, in minor units, and as English mails show them. */
const amounts: [amount: bigint, currency: Currency, shown: string][] = [
  [123_450n, 'EUR', '1,234.50 EUR'],
  [1_234_500n, 'JPY', '1,234,500 JPY'],
  [1_234_500n, 'BHD', '1,234.500 BHD'],
]

const aboutWith = (amount: bigint, currency: Currency) => {
  const money = { amount, currency, iban }
  const by = { isProgram: true, isByMember: false, memberName: 'Ben Lindqvist' }
  const payment: Payment = {
    ...money,
    kind: 'transfer',
    payeeIban: 'GB33BUKB20201555555555',
    isByMember: false,
    memberName: 'Ben Lindqvist',
  }
  return {
    publicUrl: 'https://bank.example',
    bankName: 'Bank',
    days: berlin,
    at,
    link,
    payment,
    run: { ...money, dueOn: '2026-08-01', refusal: 'insufficient_funds' },
    ordered: { ...money, payeeIban: null, rhythm: 'weekly', nextOn: '2026-08-03', ...by },
    arrival: { ...money, kind: 'incoming', payerIban: 'GB33BUKB20201555555555' },
    low: money,
    draft: {
      ...money,
      payeeIban: 'GB33BUKB20201555555555',
      makerName: 'Ben Lindqvist',
      signerNames: ['Ada Okafor', 'Both Hybrid'],
    },
    list: { ...money, count: 12, refusedCount: 3, executeOn: '2026-08-03', ...by },
    member: {
      ...money,
      rights: 'pay',
      perPayment: amount,
      perDay: null,
      until: new Date(at),
      endedAt: new Date(at),
      endedBy: 'staff',
      ownerName: 'Ada Okafor',
      memberName: 'Ben Lindqvist',
    },
    authorization: { ...money, lastFour: '1234', merchant: 'Shop', reason: 'channel_off' },
    disputed: { ...money, lastFour: '1234', merchant: 'Shop', step: 'lost' },
  } satisfies About
}

/** Half past midnight in Berlin, which is a day later than in UTC. */
const [then, later] = ['1 August 2026 at 00:30 CEST', '1 August 2026 at 01:30 CEST']
const { en } = mails

/** What the English mail of each kind has to say. MONEY: the amount. */
const says = {
  reset: ['ada', '/portal/reset#token=', later],
  invitation: ['ada', '/portal/reset#token=', later],
  'factor-reset': ['ada', '/portal/factor-reset#token=', later],
  'password-changed': ['ada'],
  'email-changed': ['ada'],
  'email-set': [],
  'email-asked': ['ada', then],
  'email-proof': ['/portal/email#token=', later],
  'new-device': ['ada', then],
  'phone-changed': [then],
  payment: ['MONEY', 'ends in 3000', then, 'an account that ends in 5555'],
  'alerts-paused': ['more than 10 alerts'],
  'order-refused': [
    'MONEY',
    'ends in 3000',
    'due on 1 August 2026',
    en.refusals.insufficient_funds,
  ],
  'order-paused': ['MONEY', 'ends in 3000'],
  'order-made': [
    'MONEY',
    'ends in 3000',
    then,
    en.byProgram,
    en.toDeletedPayee,
    'every week from 3 August 2026',
  ],
  'order-changed': [
    'MONEY',
    'ends in 3000',
    then,
    en.byProgram,
    en.toDeletedPayee,
    'every week from 3 August 2026',
  ],
  'list-ordered': ['12 payments', 'MONEY', then, en.byProgram, 'on 3 August 2026', 'ends in 3000'],
  'list-refused': ['ends in 3000', '3 were not made'],
  'card-payment': ['MONEY', 'ends in 1234', 'at Shop', then, 'ends in 3000'],
  'card-declined': ['MONEY', 'ends in 1234', 'at Shop', then, en.declines.channel_off],
  'webhook-disabled': [then, 'https://bank.example/portal/staff/programs/webhooks'],
  'factor-added': ['ada', then],
  'factor-removed': ['ada', then],
  'recovery-codes-made': ['ada', then],
  'recovery-code-used': ['ada', then],
  'wrong-factor': ['ada', then],
  'codes-refused': ['ada', then],
  'issuer-linked': ['ada', then],
  'issuer-unlinked': ['ada', then],
  'limits-raised': ['ada', then],
  'signatures-lowered': ['ada', then],
  'draft-waiting': [
    'MONEY',
    'ends in 3000',
    then,
    'an account that ends in 5555, prepared by Ben Lindqvist',
  ],
  'draft-paid': [
    'MONEY',
    'ends in 3000',
    'an account that ends in 5555',
    `was signed by Ada Okafor and Both Hybrid and made on ${then}`,
  ],
  'draft-ended': [
    'MONEY',
    'ends in 3000',
    then,
    'prepared by Ben Lindqvist, waits no longer',
    'Nothing was paid',
  ],
  'member-invited': ['Ada Okafor', then, 'see it and pay, up to MONEY a payment'],
  'member-joined': ['Ben Lindqvist', 'ends in 3000', then, `up to MONEY a payment, until ${then}`],
  'member-changed': ['Ben Lindqvist', 'of Ada Okafor', 'ends in 3000', then, 'MONEY a payment'],
  'member-ended': ['Ben Lindqvist', 'of Ada Okafor', 'ends in 3000', then, 'bank has ended it'],
  'notices-off': ['ada', then],
  'money-arrived': ['MONEY', 'ends in 3000', then, 'an account that ends in 5555'],
  'balance-below': ['MONEY', 'ends in 3000', then],
  'account-overdrawn': ['MONEY', 'ends in 3000', then],
  'card-dispute': ['MONEY', 'ends in 1234', 'at Shop', then, 'for the shop'],
} as const satisfies Record<MailKind, readonly string[]>

const toText = (kind: MailKind, language: string | null, about: About): string =>
  renderMail(kind, { username: 'ada', givenName: 'Ada', language }, about).text.replace(/\s+/g, ' ')

test('every mail says what it has to, with all digits, by the clocks of the bank', () => {
  for (const [amount, currency, shown] of amounts) {
    const about = aboutWith(amount, currency)
    for (const kind of mailKinds) {
      const text = toText(kind, 'en', about)
      for (const words of says[kind]) {
        assert.ok(text.includes(words.replace('MONEY', shown)), `${kind}: no ${words} in ${text}`)
      }
    }
  }
})

test('a mail is in English where no language was chosen, and in each language else', () => {
  const about = aboutWith(100n, 'EUR')
  for (const kind of mailKinds) {
    const english = toText(kind, 'en', about)
    assert.equal(toText(kind, null, about), english, kind)
    assert.equal(toText(kind, 'xx', about), english, kind)
    const all = Object.keys(languages).map((language) => toText(kind, language, about))
    assert.equal(new Set(all).size, all.length, kind)
  }
})

test('a refused day and a declined payment say why, each by its own words', () => {
  for (const language of Object.keys(languages) as Language[]) {
    const { refusals, notMade, declines, notApproved, byLogin, byProgram, reserved, inCash } =
      mails[language]
    const { byMember, formerMember, members } = mails[language]
    const { run, authorization, ordered, payment, list, member, draft } = aboutWith(100n, 'EUR')
    const has = (
      kind: MailKind,
      more: Partial<About>,
      words: string,
      others: readonly string[],
    ) => {
      const text = toText(kind, language, { ...aboutWith(100n, 'EUR'), ...more })
      const found = [words, ...others].filter((each) => text.includes(each.replace(/\s+/g, ' ')))
      assert.deepEqual(found, [words], text)
    }
    const allRefusals = Object.entries(refusals)
    assert.equal(new Set(Object.values(refusals)).size, allRefusals.length)
    for (const [refusal, words] of [
      ...allRefusals,
      ['unavailable', notMade],
      [null, notMade],
    ] as const) {
      const others = Object.values(refusals).filter(
        (each) => !words.includes(each) && !each.includes(words),
      )
      has('order-refused', { run: { ...run, refusal } }, words, others)
    }
    assert.deepEqual(Object.keys(declines).toSorted(), declineReasons.toSorted())
    for (const reason of [...declineReasons, null]) {
      const words = reason === null ? notApproved : declines[reason]
      const others = Object.values(declines).filter(
        (each) => !words.includes(each) && !each.includes(words),
      )
      has('card-declined', { authorization: { ...authorization, reason } }, words, others)
    }
    has('order-made', { ordered: { ...ordered, isProgram: false } }, byLogin, [byProgram])
    has('order-made', { ordered }, byProgram, [byLogin])
    for (const name of ['Ben Lindqvist', null]) {
      const made = { ...ordered, isProgram: false, isByMember: true, memberName: name }
      const words = byMember(name ?? formerMember)
      has('order-made', { ordered: made }, words, [byLogin, byProgram])
      has('order-changed', { ordered: made }, words, [byLogin, byProgram])
      has('list-ordered', { list: { ...list, ...made, isProgram: false } }, words, [byLogin])
      const maker = name ?? formerMember
      has('payment', { payment }, payment.payeeIban?.slice(-4) ?? '', [maker])
      has('payment', { payment: { ...payment, isByMember: true, memberName: name } }, maker, [])
      has('draft-waiting', { draft: { ...draft, makerName: name } }, maker, [])
      has('draft-ended', { draft: { ...draft, makerName: name } }, maker, [])
      const signed = { ...draft, signerNames: [name], makerName: 'Grace Hopper' }
      has('draft-paid', { draft: signed }, maker, ['Grace Hopper', 'Both Hybrid'])
    }
    for (const [ender, words] of Object.entries(members.enders)) {
      const others = Object.values(members.enders).filter((each) => each !== words)
      has('member-ended', { member: { ...member, endedBy: ender as Ender } }, words, others)
    }
    const [cash, held] = ['withdrawal', 'capture'].map((kind) => ({
      ...payment,
      kind,
      payeeIban: null,
    }))
    has('payment', { payment: cash }, inCash, [reserved])
    has('payment', { payment: held }, reserved, [inCash])
  }
})

test('a mail tells what is known of the other side, of the day and of a right, and says so where it is not', () => {
  const known = aboutWith(100n, 'EUR')
  for (const language of Object.keys(languages) as Language[]) {
    const words = mails[language]
    const other = 'GB33BUKB20201555555555'
    const tells = (
      kinds: readonly MailKind[],
      more: Partial<About>,
      pair: [told: string, untold: string],
    ) => {
      for (const kind of kinds) {
        const text = toText(kind, language, { ...known, ...more })
        const found = pair.map((each) => text.includes(each.replace(/\s+/g, ' ')))
        assert.deepEqual(found, [true, false], `${kind}: ${text}`)
      }
    }
    const both = (one: string, none: string): [string | null, [string, string]][] => [
      [other, [one, none]],
      [null, [none, one]],
    ]
    for (const [payeeIban, pair] of both(words.toAccount('5555'), words.toDeletedPayee)) {
      const ordered = { ...known.ordered, payeeIban }
      tells(['order-made', 'order-changed'], { ordered }, pair)
      const draft = { ...known.draft, payeeIban }
      tells(['draft-waiting', 'draft-paid', 'draft-ended'], { draft }, pair)
    }
    for (const [payeeIban, pair] of both(words.toAccount('5555'), words.inCash)) {
      const payment = { ...known.payment, kind: 'withdrawal', payeeIban }
      tells(['payment'], { payment }, pair)
    }
    for (const [payerIban, pair] of both(words.fromAccount('5555'), words.fromElsewhere)) {
      tells(['money-arrived'], { arrival: { ...known.arrival, payerIban } }, pair)
    }
    const [soon, late] = [null, '2026-08-03'].map((executeOn) =>
      toText('list-ordered', language, { ...known, list: { ...known.list, executeOn } }),
    )
    const count = (text = '') => text.split(words.atOnce).length
    assert.equal(count(soon), count(late) + 1, soon)
    const { perPayment, perDay, rights } = words.members
    const limits = { perPayment: 100n, perDay: 200n, until: null }
    for (const some of [limits, { ...limits, perPayment: null }, { ...limits, perDay: null }]) {
      const money = (amount: bigint) => toText('balance-below', language, aboutWith(amount, 'EUR'))
      const [one = '', two = ''] = [100n, 200n].map(
        (amount) => /\d[.,]\d\d\s\w+/.exec(money(amount))?.[0] ?? '',
      )
      const list = [
        rights.pay,
        ...(some.perPayment === null ? [] : [perPayment(one)]),
        ...(some.perDay === null ? [] : [perDay(two)]),
      ].join(', ')
      const text = toText('member-changed', language, {
        ...known,
        member: { ...known.member, ...some },
      })
      assert.ok(text.includes(`${list.replace(/\s+/g, ' ')}.`), `${list} in ${text}`)
    }
  }
})

test('a long name of a shop is cut, an erased one is a dash', () => {
  const { authorization } = aboutWith(100n, 'EUR')
  const shown = (merchant: string | null) =>
    / at (\S+), on /.exec(
      toText('card-payment', 'en', {
        ...aboutWith(100n, 'EUR'),
        authorization: { ...authorization, merchant },
      }),
    )?.[1]
  assert.equal(shown('M'.repeat(40)), 'M'.repeat(40))
  assert.equal(shown('M'.repeat(41)), `${'M'.repeat(40)}…`)
  assert.equal(shown(null), '-')
})

type OfAccess =
  | 'codes-refused'
  | 'email-changed'
  | 'email-set'
  | 'email-asked'
  | 'email-proof'
  | 'factor-added'
  | 'factor-removed'
  | 'factor-reset'
  | 'invitation'
  | 'issuer-linked'
  | 'issuer-unlinked'
  | 'limits-raised'
  | 'signatures-lowered'
  | 'new-device'
  | 'notices-off'
  | 'password-changed'
  | 'phone-changed'
  | 'recovery-code-used'
  | 'recovery-codes-made'
  | 'reset'
  | 'wrong-factor'
/** Sent where their recipients have asked for them. */
type OfNotices = 'balance-below' | 'money-arrived'
/** Their own tests are in features/members and features/drafts. */
type OfMembers = 'member-invited' | 'member-joined' | 'member-changed' | 'member-ended'
type OfDrafts = 'draft-waiting' | 'draft-paid' | 'draft-ended'
/** The bank's own doing: sent once for a state, whatever is paid. */
type OfBank = 'alerts-paused' | 'order-paused' | 'webhook-disabled'

/** Which mails are sent of payments, orders and cards: always, or only where alerts are on. */
const sentWhen = {
  'order-made': 'always',
  'order-changed': 'always',
  'order-refused': 'always',
  'list-ordered': 'always',
  'list-refused': 'always',
  payment: 'alerts',
  'card-payment': 'alerts',
  'card-declined': 'alerts',
  'account-overdrawn': 'always',
  'card-dispute': 'always',
} as const satisfies Record<
  Exclude<MailKind, OfAccess | OfBank | OfNotices | OfMembers | OfDrafts>,
  'always' | 'alerts'
>

test('mails of orders are sent in any case, those of payments and cards where alerts are on, each to the holder', async (t) => {
  const settings = { ALERT_ABOVE: 'EUR=10', TIME_ZONE: 'Europe/Berlin' }
  const bank = await world(t, { settings })
  const root = await bank.as('root')
  const processor = await newProcessor(bank)
  const known = new Map<PersonName, { iban: string; card: string }>()
  const clearings: (() => Promise<unknown>)[] = []
  for (const name of ['ada', 'ben'] as const) {
    const voice = await bank.as(name)
    const ok = async (sent: ReturnType<typeof voice.post>) => {
      const { status, body, text } = await sent
      assert.ok(status < 300, text)
      return body
    }
    const account = await openAccount(voice)
    await deposit(root, account, '100.00')
    const { iban: own } = await ok(voice.get(`/api/v1/accounts/${account}`))

    const payee = await ok(
      voice.post(`/api/v1/accounts/${account}/beneficiaries`, { name: 'Otto', iban }),
    )
    const [, card] = [
      await ok(voice.post(`/api/v1/accounts/${account}/cards`, {})),
      await ok(voice.post(`/api/v1/accounts/${account}/cards`, {})),
    ]
    known.set(name, { iban: own, card: card.maskedNumber.slice(-4) })
    const alertsEnabled = name === 'ada'
    await ok(root.patch(`/api/v1/accounts/${account}/settings`, { alertsEnabled }))
    const order = async (amount: string, more: object = {}) =>
      ok(
        voice.post(`/api/v1/accounts/${account}/orders`, {
          beneficiaryId: payee.id,
          amount,
          currency: 'EUR',
          rhythm: 'once',
          firstOn: '2026-01-02',
          ...more,
        }),
      )
    // One run that is large, one that is not, one without money, and one that waits for it.
    await order('10.00')
    const { id } = await order('12.00')
    await ok(voice.patch(`/api/v1/orders/${id}`, { reference: 'Neither its payee nor its amount' }))
    await ok(voice.patch(`/api/v1/orders/${id}`, { amount: '10.01' }))
    await order('500.00')
    await order('600.00', { retryDays: 5 })
    await ok(voice.post(`/api/v1/orders/${id}/pause`))
    await ok(voice.post(`/api/v1/orders/${id}/resume`))
    const list = await ok(
      voice.post(`/api/v1/accounts/${account}/payment-lists`, {
        currency: 'EUR',
        items: ['1.00', '900.00'].map((amount) => ({ beneficiaryId: payee.id, amount })),
      }),
    )
    await ok(voice.post(`/api/v1/payment-lists/${list.id}/execute`))
    const till = toTill(processor, card.id)
    const { paymentId } = await ok(till.ask('10.00'))
    clearings.push(async () => {
      await ok(till.clear('700.00', { authorizationId: paymentId }))
      const dispute = { reason: 'not_received', text: 'It has never arrived' }
      await ok(voice.post(`/api/v1/card-payments/${paymentId}/disputes`, dispute))
    })
    await ok(till.ask('10.01'))
    await ok(till.ask('700.00'))
  }
  const earlier = (await readMails(bank)).length
  await bank.running.core.orders.work()
  await bank.running.core.paymentLists.work()
  for (const clear of clearings) await clear()
  const all = await readMails(bank)
  assert.ok(all.length > earlier, 'the runs are told behind their days')
  const subjectOf = new Map(Object.entries(en.mails).map(([kind, { subject }]) => [subject, kind]))
  const kindsOf = (name: PersonName): string[] =>
    ofHolder(all, name).map(({ subject }) => subjectOf.get(subject as never) as string)
  const told = [
    'order-made',
    'order-made',
    'order-made',
    'order-made',
    'order-changed',
    'order-refused',
    'list-ordered',
    'list-refused',
    'account-overdrawn',
    'card-dispute',
  ]
  const alerts = ['payment', 'card-payment', 'card-declined']
  const about = (kinds: string[]) => kinds.filter((kind) => kind in sentWhen).toSorted()
  assert.deepEqual(about(kindsOf('ada')), [...told, ...alerts].toSorted())
  assert.deepEqual(about(kindsOf('ben')), told.toSorted())
  const { iban: adas, card: herCard } = known.get('ada') ?? assert.fail()
  const ends = adas.slice(-4)
  const textOf = (kind: keyof typeof en.mails) =>
    ofHolder(all, 'ada')
      .find(({ subject }) => subject === en.mails[kind].subject)
      ?.text?.replace(/\s+/g, ' ') ?? ''
  for (const [kind, words] of [
    ['payment', `10.01 EUR left your account that ends in ${ends} on 2 January 2026 at 10:00 CET`],
    ['order-changed', `It now pays 10.01 EUR from your account that ends in ${ends}`],
    ['order-refused', 'order of 500.00 EUR'],
    ['list-ordered', 'a list of 2 payments, 901.00 EUR together, was ordered on 2 January 2026'],
    ['list-refused', `account that ends in ${ends}, 1 were not made`],
    ['card-payment', `10.01 EUR were authorised with your card that ends in ${herCard}, at`],
    [
      'card-declined',
      `was declined on 2 January 2026 at 10:00 CET: ${en.declines.insufficient_funds}`,
    ],
  ] as const) {
    assert.ok(textOf(kind).includes(words), textOf(kind))
  }
})

const ofHolder = (all: readonly Email[], name: PersonName): Email[] =>
  all.filter(({ to }) => to?.[0]?.address === `${name}@example.com`)
