// Whom to pay, before anything else of a payment: the last payees, own accounts, a search over all
// payees of the person, and somebody new. The text of a QR code may be pasted here.
import { useEffect, useState } from 'preact/hooks'
import { type Pages, usePages, useRead } from '../../../calls/call.ts'
import { accountName, canPay, UserText } from '../../../parts/accounts.tsx'
import { Button, groupIban } from '../../../parts/basic.tsx'
import { Field } from '../../../parts/field.tsx'
import { isOut } from '../../../parts/entries.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { initialsOf, Row } from '../../../parts/row.tsx'
import { storeDraft } from '../../../state/draft.ts'
import { to } from '../../../state/paths.ts'
import { navigate } from '../../../state/router.ts'
import type { Account, Beneficiary, List, OwnTransaction } from '../../../state/types.ts'
import {
  type CreditTransferText,
  parseCreditTransfer,
} from '../../../texts/credit-transfer-text.ts'
import { texts } from '../../../texts/language.ts'
import { Money, negate } from '../../../texts/money.tsx'
import { formatTime } from '../../../texts/time.tsx'
import { toIban } from '../../../texts/typed-text.ts'

/** As many as are seen at a glance. */
const lastMax = 5
const foundMax = 10
/** The typing has stopped then. */
const pauseMs = 300

export type ChosenPayee = { from?: string; to: string }

type Props = {
  from: Account
  accounts: readonly Account[]
  onChoose: (chosen: ChosenPayee) => void
  /** What a QR code asks for beside its payee. */
  onCode: (code: CreditTransferText) => void
}

type Candidate = {
  key: string
  name: string
  note: string
  /** What a search looks through. */
  words: string
  amount?: string
  currency?: Account['currency']
  chosen: ChosenPayee
}

/** The same payee may be saved for several accounts: the one that is paid from comes first. */
function byIban(payees: readonly Beneficiary[], accounts: readonly Account[], from: Account) {
  const payable = payees.filter(
    ({ status, accountId }) =>
      status === 'active' && accounts.some((one) => one.id === accountId && canPay(one)),
  )
  const inOrder = payable.toSorted(
    (one, other) => Number(other.accountId === from.id) - Number(one.accountId === from.id),
  )
  return new Map(inOrder.toReversed().map((payee) => [payee.iban, payee]))
}

const toCandidate = ({ id, accountId, name, nickname, iban }: Beneficiary): Candidate => ({
  key: id,
  name: nickname ?? name,
  note: groupIban(iban),
  words: `${name} ${nickname ?? ''} ${iban}`.toLowerCase(),
  chosen: { from: accountId, to: `beneficiary:${id}` },
})

function findLast(entries: readonly OwnTransaction[], payees: ReadonlyMap<string, Beneficiary>) {
  const newest = new Map<string, OwnTransaction>()
  for (const entry of entries) {
    const iban = entry.counterparty?.iban
    if (iban && isOut(entry) && payees.has(iban) && !newest.has(iban)) newest.set(iban, entry)
  }
  return [...newest]
    .slice(0, lastMax)
    .map(([iban, { amount, createdAt, currency, reference }]) => ({
      ...toCandidate(payees.get(iban) as Beneficiary),
      note: [formatTime(createdAt, 'date'), reference].filter(Boolean).join(' · '),
      amount: negate(amount),
      currency,
    }))
}

const Candidates = ({
  title,
  of,
  onChoose,
}: {
  title: string
  of: readonly Candidate[]
  onChoose: Props['onChoose']
}) =>
  of.length === 0 ? null : (
    <section>
      <h3 class="day">{title}</h3>
      <ul>
        {of.map(({ key, name, note, amount, currency, chosen }) => (
          <li key={key}>
            <Row
              mark={initialsOf(name)}
              name={
                <Button kind="link" onClick={() => onChoose(chosen)}>
                  <UserText>{name}</UserText>
                </Button>
              }
              note={note}
              end={
                amount &&
                currency && (
                  <span class="quiet">
                    <Money amount={amount} currency={currency} />
                  </span>
                )
              }
            />
          </li>
        ))}
      </ul>
    </section>
  )

/** Where not all payees were read, the bank looks for the text. */
function useFound(text: string, payees: Pages<Beneficiary>): readonly Beneficiary[] {
  const [asked, setAsked] = useState('')
  const isWhole = payees.data !== undefined && !payees.more
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const path = `/beneficiaries?limit=${foundMax}&text=${encodeURIComponent(asked)}`
  const found = useRead<List<Beneficiary>>(isWhole || asked === '' ? undefined : path)
  return found.data?.items ?? payees.data ?? []
}

function goToNew({ id }: Account, { name, iban }: { name: string; iban: string }): void {
  storeDraft('beneficiary', { name, iban, nickname: '' })
  navigate(`${to('beneficiaryNew')}?account=${id}&pay`)
}

function Somebody({ onClick }: { onClick: () => void }) {
  const t = texts().whom
  return (
    <ul>
      <li>
        <Row
          mark={<Icon name="beneficiaries" />}
          name={
            <Button kind="link" onClick={onClick}>
              {t.somebody}
            </Button>
          }
          note={t.somebodyNote}
        />
      </li>
    </ul>
  )
}

const toOwn =
  (from: Account) =>
  (account: Account): Candidate => ({
    key: account.id,
    name: accountName(account),
    note: groupIban(account.iban),
    words: `${accountName(account)} ${account.iban}`.toLowerCase(),
    amount: account.balance,
    currency: account.currency,
    chosen: { from: from.id, to: `account:${account.id}` },
  })

export function Whom({ from, accounts, onChoose, onCode }: Props) {
  const t = texts().whom
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const entries = useRead<List<OwnTransaction>>('/transactions?limit=100')
  const found = useFound(text, usePages<Beneficiary>('/beneficiaries?limit=100'))
  const all = byIban(found, accounts, from)
  const compact = toIban(text)
  const isFound = ({ words }: Candidate) =>
    words.includes(text.toLowerCase()) || words.includes(compact.toLowerCase())
  const own = accounts
    .filter(({ id, currency }) => id !== from.id && currency === from.currency)
    .map(toOwn(from))
  const matching = [...all.values()].map(toCandidate).filter(isFound)

  function onPaste(event: ClipboardEvent): void {
    const code = parseCreditTransfer(event.clipboardData?.getData('text') ?? '')
    if (!code) return
    event.preventDefault()
    onCode(code)
    const known = all.get(code.iban)
    if (known) onChoose(toCandidate(known).chosen)
    else goToNew(from, code)
  }
  const isIban = /^[A-Z]{2}\d{2}/.test(compact)
  return (
    <section class="card list" onPaste={onPaste}>
      <h2 class="unseen">{t.title}</h2>
      <div class="find">
        <Field
          name="whom"
          type="search"
          label={t.search}
          value={typed}
          onInput={setTyped}
          maxLength={140}
          isBare
        />
      </div>
      {text === '' ? (
        <>
          <Candidates
            title={t.last}
            of={findLast(entries.data?.items ?? [], all)}
            onChoose={onChoose}
          />
          <Candidates
            title={texts().transfer.ownAccounts}
            of={own.slice(0, lastMax)}
            onChoose={onChoose}
          />
        </>
      ) : (
        <>
          <p class="unseen" role="status">
            {t.found(matching.length + own.filter(isFound).length)}
          </p>
          <Candidates
            title={texts().transfer.beneficiaries}
            of={matching.slice(0, foundMax)}
            onChoose={onChoose}
          />
          <Candidates
            title={texts().transfer.ownAccounts}
            of={own.filter(isFound)}
            onChoose={onChoose}
          />
        </>
      )}
      <Somebody
        onClick={() =>
          goToNew(from, isIban ? { name: '', iban: compact } : { name: text, iban: '' })
        }
      />
    </section>
  )
}
