// The body of a change that waits for a second person, each member in words.
import { type BlockCause, type BodyWord, textOfWord } from '../../../../languages/words.ts'
import { nameOf, UserText } from '../../parts/accounts.tsx'
import { type Fact, Facts } from '../../parts/basic.tsx'
import { to } from '../../state/paths.ts'
import { useRead } from '../../calls/call.ts'
import type { Account, Approval, User } from '../../state/types.ts'
import { AccountLink } from './account-link.tsx'
import { texts } from '../../texts/language.ts'
import { formatMoney, negate, sum } from '../../texts/money.tsx'
import { Time } from '../../texts/time.tsx'
import { isId } from '../../texts/is-id.ts'
import { actionName } from './audit-names.tsx'
import { fieldOf } from './audit-words.ts'

type Body = Readonly<Record<string, unknown>>

export const readBody = ({ body }: Approval): Body => (JSON.parse(body ?? '{}') ?? {}) as Body

const isMoney = (name: string): boolean => /amount|limit/i.test(name)

/** An account by its IBAN, or a person by name; by the end of the identifier until it is read. */
function IdLink({ name, id }: { name: string; id: string }) {
  const isAccount = /payFrom|AccountId/.test(name)
  const account = useRead<Account>(isAccount ? `/admin/accounts/${id}` : undefined)
  const person = useRead<User>(isAccount ? undefined : `/admin/users/${id}`)
  if (account.data) return <AccountLink account={account.data} />
  const page = isAccount
    ? to('staffAccount', { accountId: id })
    : to('staffCustomer', { userId: id })
  return <a href={page}>{person.data ? nameOf(person.data) : `…${id.slice(-6)}`}</a>
}

/** Members whose values have words: a reason or a name that equals one stays as it was written. */
const hasWords = /^(status|roles|readAccounts|kind|fromCode|toCode|channel|onRefusal)$/

/** A value of the body in words. `currency` of an amount that the body gives without one. */
function FieldValue({ name, value, currency }: { name: string; value: unknown; currency: string }) {
  const t = texts()
  const one = (each: unknown): string =>
    name === 'operations'
      ? actionName({ action: String(each) })
      : hasWords.test(name)
        ? textOfWord(t.approvals.values, each as BodyWord, String(each))
        : String(each)
  if (value === null || value === '') return <>{t.common.none}</>
  if (typeof value === 'boolean') return <>{value ? t.common.yes : t.common.no}</>
  if (name === 'payFrom') {
    return <>{(value as string[]).map((id) => [<IdLink name={name} id={id} />, ' '])}</>
  }
  if (Array.isArray(value)) return <>{value.map(one).join(', ') || t.common.none}</>
  if (typeof value === 'object') return <Facts rows={fieldFacts(value as Body, currency)} />
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (name === 'cardId' || name === 'authorizationId') return <>…{text.slice(-6)}</>
  if (isId(text)) return <IdLink name={name} id={text} />
  if (isMoney(name) && currency) return <>{formatMoney(text, currency)}</>
  if (name === 'cause') return <>{textOfWord(t.block.causes, text as BlockCause, text)}</>
  if (name === 'expiresAt' || name === 'until') return <Time at={text} />
  return <UserText>{one(text)}</UserText>
}

/**
 * Each member of the body by its name in words. The currency is told with the amount.
 *
 * @param before the members that have a value now
 */
export function fieldFacts(body: Body, currency = '', before: Body = {}): Fact[] {
  const names = { ...texts().audit.fields, ...texts().approvals.fields }
  const unit = typeof body['currency'] === 'string' ? body['currency'] : currency
  const hasAmount = 'amount' in body
  return Object.entries(body)
    .filter(([name]) => !(name === 'currency' && hasAmount) && name !== 'ownerId')
    .map(([name, value]) => [
      textOfWord(names, fieldOf(name, names), names.other),
      <>
        {Object.hasOwn(before, name) && (
          <>
            <FieldValue name={name} value={before[name]} currency={unit} /> →{' '}
          </>
        )}
        <FieldValue name={name} value={value} currency={unit} />
      </>,
    ])
}

/** What a change does to the balance of its account; undefined: nothing. */
export function findMove({ operation }: Approval, body: Body): string | undefined {
  if (operation === 'createDeposit') return String(body['amount'])
  return operation === 'createWithdrawal' ? negate(String(body['amount'])) : undefined
}

/** Whom and what a request is about, as that stands now, and what it would change. */
export function SubjectFacts({ of: approval }: { of: Approval }) {
  const t = texts().approvals
  const body = readBody(approval)
  const { holder, account, before = '{}' } = approval.subject ?? {}
  const change = findMove(approval, body)
  const money = (amount: string) => formatMoney(amount, account?.currency ?? '')
  const balance =
    account && change
      ? `${money(account.balance)} → ${money(sum([account.balance, change], account.currency))}`
      : account && money(account.balance)
  return (
    <Facts
      rows={[
        [
          t.holder,
          holder && (
            <a href={to('staffCustomer', { userId: holder.id })}>
              <UserText>{holder.name}</UserText>
            </a>
          ),
        ],
        [t.account, account && <AccountLink account={account} />],
        [change === undefined ? t.balance : t.balances, balance],
        ...fieldFacts(body, account?.currency, JSON.parse(before) as Body),
      ]}
    />
  )
}
