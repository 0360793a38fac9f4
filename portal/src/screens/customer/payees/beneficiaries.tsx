// Whom the customer may pay.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Badge, Button, ButtonLink, Iban, Notice, Screen, Section } from '../../../parts/basic.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { useFocusKept } from '../../../parts/focus.ts'
import { Listed, Rows } from '../../../parts/list.tsx'
import { RenameDialog } from '../../../parts/rename-dialog.tsx'
import { Menu } from '../../../parts/menu.tsx'
import { useRead } from '../../../calls/call.ts'
import { locale, texts } from '../../../texts/language.ts'
import { toIban } from '../../../texts/typed-text.ts'
import { to } from '../../../state/paths.ts'
import { readQuery } from '../../../state/router.ts'
import { mayHaveFactor } from '../../../calls/session.ts'
import { useListChanges } from '../../../calls/submit.ts'
import type { Account, Beneficiary, OwnFactors } from '../../../state/types.ts'
import { EveryAccount, OfAccount, type Part, useOfAccounts } from '../every-account.tsx'

type Verb = 'deactivate' | 'reactivate' | 'trust' | 'untrust'

type NamedProps = { beneficiary: Beneficiary; account: Account | undefined }

const shownName = ({ name, nickname }: Beneficiary): string => nickname ?? name

/** One line on a desk. */
function Named({ beneficiary, account }: NamedProps) {
  const t = texts().beneficiaries
  const { name, nickname, iban, status, trusted } = beneficiary
  return (
    <div class="payee">
      <div>
        <strong>{shownName(beneficiary)}</strong>{' '}
        {status !== 'active' && <Badge kind="warning">{t.deactivated}</Badge>}{' '}
        {trusted && <Badge kind="good">{t.trusted}</Badge>}
        {nickname !== null && <span class="quiet small"> {name}</span>}
      </div>
      <div class="quiet small">
        <Iban iban={iban} />
      </div>
      <OfAccount account={account} />
    </div>
  )
}

/** The first letter of a name, where it is another one than that before. */
const letterOf = (beneficiary: Beneficiary | undefined): string =>
  beneficiary ? ([...shownName(beneficiary)][0] as string).toLocaleUpperCase(locale()) : ''

/** By name; those that have the text in their name, nickname or IBAN. */
function findByText(all: readonly Beneficiary[], text: string): Beneficiary[] {
  const [wanted, iban] = [text.trim().toLowerCase(), toIban(text)]
  return all
    .filter(
      (one) =>
        `${one.name} ${one.nickname ?? ''}`.toLowerCase().includes(wanted) ||
        one.iban.includes(iban),
    )
    .toSorted((one, other) => shownName(one).localeCompare(shownName(other), locale()))
}

/** From so many on a search stands above them. */
const searchMin = 6

type SearchedProps = {
  of: readonly Beneficiary[]
  children: (beneficiary: Beneficiary) => ComponentChildren
}

/** Beneficiaries by name, a search above them, and a letter where the next one begins. */
function Searched({ of: items, children }: SearchedProps) {
  const t = texts().beneficiaries
  const [text, setText] = useState('')
  const found = findByText(items, text)
  return (
    <>
      {items.length >= searchMin && (
        <Field
          name="text"
          type="search"
          label={t.search}
          value={text}
          onInput={setText}
          maxLength={140}
          isBare
        />
      )}
      {found.length === 0 && <p role="status">{t.noneFound}</p>}
      <Rows of={found}>
        {(beneficiary, before) => (
          <>
            <span class="letter quiet" aria-hidden="true">
              {letterOf(beneficiary) === letterOf(before) ? '' : letterOf(beneficiary)}
            </span>
            {children(beneficiary)}
          </>
        )}
      </Rows>
    </>
  )
}

type RemovalProps = {
  of: Beneficiary
  isBusy: boolean
  onConfirm: () => void
  onClose: () => void
}

function Removal({ of: { name }, ...question }: RemovalProps) {
  const t = texts().beneficiaries
  return (
    <Question title={t.removeTitle(name)} confirm={t.removeForGood} {...question}>
      <p>{t.removeText}</p>
    </Question>
  )
}

const AddLink = ({ account }: { account: Account }) => (
  <ButtonLink href={`${to('beneficiaryNew')}?account=${account.id}`} kind="primary">
    {texts().beneficiaries.add}
  </ButtonLink>
)

type ActionsProps = {
  of: Beneficiary
  hasFactor: boolean
  changing: Pick<ReturnType<typeof useListChanges>, 'change' | 'isBusy'>
  onRemove: (beneficiary: Beneficiary) => void
  onRename: (beneficiary: Beneficiary) => void
}

function Actions({ of: beneficiary, hasFactor, changing, onRemove, onRename }: ActionsProps) {
  const t = texts().beneficiaries
  const { id, name, status, trusted = false } = beneficiary
  const verb = status === 'active' ? 'deactivate' : 'reactivate'
  const trust = trusted ? 'untrust' : 'trust'
  const turn = (to: Verb) => () =>
    void changing.change({ method: 'POST', path: `/beneficiaries/${id}/${to}` }, t.turned[to](name))
  const whom = <span class="unseen"> {name}</span>
  return (
    <div class="actions">
      {status === 'active' && (
        <ButtonLink href={`${to('transfer')}?to=${id}`}>
          {t.pay}
          {whom}
        </ButtonLink>
      )}
      <Menu of={name}>
        {mayHaveFactor() && (trusted || (hasFactor && status === 'active')) && (
          <Button isBusy={changing.isBusy} onClick={turn(trust)}>
            {t[trust]}
            {whom}
          </Button>
        )}
        <Button isBusy={changing.isBusy} onClick={turn(verb)}>
          {t[verb]}
          {whom}
        </Button>
        <Button onClick={() => onRename(beneficiary)}>
          {texts().rename.action}
          {whom}
        </Button>
        <Button kind="danger" onClick={() => onRemove(beneficiary)}>
          {t.remove}
          {whom}
        </Button>
      </Menu>
    </div>
  )
}

function List(part: Part) {
  const { accounts, isAlone } = part
  const t = texts().beneficiaries
  const list = useOfAccounts<Beneficiary>(
    part,
    ({ id }) => `/accounts/${id}/beneficiaries?limit=100`,
  )
  const accountOf = ({ accountId }: Beneficiary) => accounts.find(({ id }) => id === accountId)
  const usual = accounts.find(({ status }) => status === 'active')
  const [added] = useState(() => (readQuery().has('added') ? t.added : ''))
  const changing = useListChanges(list, added)
  const [deleting, setDeleting] = useState<Beneficiary>()
  const [renaming, setRenaming] = useState<Beneficiary>()
  useFocusKept(list.data?.length)
  // Without a factor no payment is confirmed, so trust would change nothing.
  const own = useRead<OwnFactors>(mayHaveFactor() ? '/auth/factors' : undefined)
  const hasFactor = (own.data?.factors.length ?? 0) > 0
  async function remove({ id, name }: Beneficiary): Promise<void> {
    await changing.change({ method: 'DELETE', path: `/beneficiaries/${id}` }, t.removed(name))
    setDeleting(undefined)
  }
  async function rename({ id }: Beneficiary, nickname: string | null): Promise<void> {
    const change = { method: 'PATCH', path: `/beneficiaries/${id}`, body: { nickname } } as const
    await changing.change(change, texts().rename.done)
    setRenaming(undefined)
  }
  return (
    <Section title={t.list} actions={usual && <AddLink account={usual} />}>
      {changing.told && <Notice kind="good">{changing.told}</Notice>}
      <Outcome of={changing} />
      <Listed of={list} none={part.next ? texts().common.none : t.none}>
        {(items) => (
          <Searched of={items}>
            {(beneficiary) => (
              <>
                <Named
                  beneficiary={beneficiary}
                  account={isAlone ? undefined : accountOf(beneficiary)}
                />
                {accountOf(beneficiary)?.status === 'active' && (
                  <Actions
                    of={beneficiary}
                    hasFactor={hasFactor}
                    changing={changing}
                    onRemove={setDeleting}
                    onRename={setRenaming}
                  />
                )}
              </>
            )}
          </Searched>
        )}
      </Listed>
      {renaming && (
        <RenameDialog
          name={renaming.nickname}
          isBusy={changing.isBusy}
          onSave={(nickname) => void rename(renaming, nickname)}
          onClose={() => setRenaming(undefined)}
        />
      )}
      {deleting && (
        <Removal
          of={deleting}
          isBusy={changing.isBusy}
          onConfirm={() => void remove(deleting)}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </Section>
  )
}

export const Beneficiaries = () => (
  <Screen title={texts().beneficiaries.title}>
    <EveryAccount>{(part) => <List {...part} />}</EveryAccount>
  </Screen>
)
