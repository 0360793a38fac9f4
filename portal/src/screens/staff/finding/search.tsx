// One box for customers and accounts. Each search is a recorded read of personal data, so it is
// made when it is asked for and not while it is typed. What was searched stays in the address.
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Empty, FailureNotice, Screen, Section, Skeleton } from '../../../parts/basic.tsx'
import { Field } from '../../../parts/field.tsx'
import { useSending } from '../../../parts/sending.ts'
import { signError } from '../../../parts/form.tsx'
import { Later } from '../../../parts/later.tsx'
import { More } from '../../../parts/list.tsx'
import { type Pages, type Read, usePages, useRead } from '../../../calls/call.ts'
import { normaliseEmail } from '../../../../../src/domain/usernames.ts'
import { changeQuery, readQuery } from '../../../state/router.ts'
import { loadTexts, texts } from '../../../texts/language.ts'
import { toLooks } from '../../../texts/payment-look.ts'
import {
  findUnfitSign,
  searchSigns,
  textSigns,
  toIban,
  toPlain,
} from '../../../texts/typed-text.ts'
import type { Account, User } from '../../../state/types.ts'
import { useTodo } from '../../common/todo.tsx'
import { Accounts, People } from '../lists.tsx'

const identifier = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const iban = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/
const saidLengthMax = 70

/** Where a text is searched, by its form. */
type Search = { id?: string; iban?: string; email?: string; q?: string }

function toSearch(text: string): Search {
  const id = text.replaceAll(' ', '').toLowerCase()
  if (identifier.test(id)) return { id }
  // With a digit behind the country: no name has that.
  const compact = toIban(text)
  if (iban.test(compact)) return { iban: compact }
  const email = normaliseEmail(text)
  if (email?.includes('@')) return { email }
  const isSaid = text.length <= saidLengthMax && !findUnfitSign(text, searchSigns)
  return isSaid && text !== '' ? { q: text } : {}
}

type Found<I> = Pick<Pages<I>, 'data' | 'failure' | 'again' | 'isLoading' | 'more'>

const none: Found<never> = {
  data: [],
  failure: undefined,
  again: () => {},
  isLoading: false,
  more: undefined,
}

/** A single thing as a list of at most one: nothing where it does not exist. */
function asFound<T>(read: Read<T>, isAsked: boolean): Found<T> {
  if (!isAsked || read.failure?.code === 'not_found') return none
  return { ...read, data: read.data && [read.data], more: undefined }
}

const asPages = <T,>(pages: Pages<T>, isAsked: boolean): Found<T> => (isAsked ? pages : none)

/** Two lists as one, each item once. */
function both<T extends { id: string }>(one: Found<T>, other: Found<T>): Found<T> {
  const items = one.data && other.data && [...one.data, ...other.data]
  const ids = items?.map(({ id }) => id)
  return {
    data: items?.filter(({ id }, at) => ids?.indexOf(id) === at),
    failure: one.failure ?? other.failure,
    again: () => (one.failure ? one : other).again(),
    isLoading: one.isLoading || other.isLoading,
    more: one.more ?? other.more,
  }
}

const query = (path: string, values: Record<string, string | undefined>): string | undefined => {
  const given = Object.entries(values).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : undefined
}

function useSearch({ id, iban, email, q }: Search) {
  const pathOf = (path: string) => (id ? `${path}/${id}` : undefined)
  const personById = asFound(useRead<User>(pathOf('/admin/users')), id !== undefined)
  const accountById = asFound(useRead<Account>(pathOf('/admin/accounts')), id !== undefined)

  const said = query('/admin/users', { email, q })
  const found = asPages(usePages<User>(said), said !== undefined)
  const hasMany = (found.data?.length ?? 0) > 1
  const name = q !== undefined && hasMany && !findUnfitSign(q, textSigns) ? q : undefined
  const bySearch = query('/admin/accounts', iban ? { iban } : { holder: name })
  const searched = asPages(usePages<Account>(bySearch), bySearch !== undefined)

  // Accounts of the one person that was found; the holder of the account that was found.
  const single = personById.data?.[0] ?? (hasMany ? undefined : found.data?.[0])
  const held = query('/admin/accounts', { ownerId: single?.id })
  const owned = asPages(usePages<Account>(held), held !== undefined)
  const account = accountById.data?.[0] ?? (iban ? searched.data?.[0] : undefined)
  const holderPath = account && `/admin/users/${account.ownerId}`
  const holder = asFound(useRead<User>(holderPath), holderPath !== undefined)

  return {
    people: both(both(personById, holder), found),
    accounts: both(both(accountById, searched), owned),
  }
}

function Results({ search }: { search: Search }) {
  const t = texts().staffSearch
  const { people, accounts } = useSearch(search)
  const failure = people.failure ?? accounts.failure
  if (failure?.code === 'invalid_request' && search.iban) return <Empty>{t.badIban}</Empty>
  if (failure)
    return (
      <FailureNotice failure={failure} again={people.failure ? people.again : accounts.again} />
    )
  if (!people.data || !accounts.data) return <Skeleton lines={6} />
  const hasMore = people.more !== undefined || accounts.more !== undefined
  return (
    <>
      <p role="status" class="quiet">
        {t.found(people.data.length, accounts.data.length, hasMore)}
      </p>
      {people.data.length + accounts.data.length === 0 ? (
        <Empty>
          <p>{t.nothing}</p>
          <p>{t.hint}</p>
        </Empty>
      ) : (
        <>
          <Section title={t.people}>
            {people.data.length > 0 ? (
              <People users={people.data} />
            ) : (
              <p class="quiet">{t.noPeople}</p>
            )}
            <More of={people} />
          </Section>
          <Section title={t.accounts}>
            {accounts.data.length > 0 ? (
              <Accounts accounts={accounts.data} holders={people.data} />
            ) : (
              <p class="quiet">{t.noAccounts}</p>
            )}
            <More of={accounts} />
          </Section>
        </>
      )}
    </>
  )
}

/** With the parts of cards: a chunk of its own would split those of customers. */
async function loadPayments() {
  const [{ PaymentsFound }] = await Promise.all([
    import('../cards.tsx'),
    loadTexts('ledger', 'cards', 'accounts'),
  ])
  return PaymentsFound
}

async function loadWork() {
  const [{ Work }] = await Promise.all([import('./work.tsx'), loadTexts('today', 'ledger')])
  return Work
}

function Todo() {
  const todo = useTodo()
  if (todo.length === 0) return null
  return (
    <Section title={texts().todo.title}>
      <ul class="rows">{todo}</ul>
    </Section>
  )
}

export function Search() {
  const t = texts().staffSearch
  const searched = toPlain(readQuery().get('q') ?? '').trim()
  const wanted = toSearch(searched)
  const [typed, setTyped] = useState(searched)
  const looks = toLooks(searched)
  // An amount is of a payment alone.
  const isOfPerson = !looks.some((look) => 'amount' in look)
  const isSearchable = Object.keys(wanted).length + looks.length > 0
  const error = isSearchable ? undefined : signError(searched, searchSigns)
  const onSend = useSending(() => changeQuery({ q: typed.trim() }))
  return (
    <Screen title={t.title}>
      <form role="search" class="filters search" onSubmit={onSend}>
        <Field
          name="q"
          type="search"
          label={t.label}
          hint={t.hint}
          value={typed}
          onInput={setTyped}
          maxLength={254}
          error={error}
        />
        <Button kind="primary" type="submit">
          {t.submit}
        </Button>
      </form>
      {searched === '' ? (
        <>
          <Todo />
          <p class="quiet">{t.begin}</p>
          <Later load={loadWork} with={{}} />
        </>
      ) : (
        <Fragment key={searched}>
          {isOfPerson && <Results search={wanted} />}
          {looks.length > 0 && <Later load={loadPayments} with={{ looks }} />}
        </Fragment>
      )}
    </Screen>
  )
}
