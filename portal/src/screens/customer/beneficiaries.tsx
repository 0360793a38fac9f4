// Whom the customer may pay.
import { useState } from 'preact/hooks'
import { Badge, Button, ButtonLink, Iban, Notice, Screen, Section } from '../../parts/basic.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Outcome } from '../../parts/form.tsx'
import { useFocusKept } from '../../parts/focus.ts'
import { Listed, Rows } from '../../parts/list.tsx'
import { RenameDialog } from '../../parts/rename-dialog.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { readQuery } from '../../state/router.ts'
import { mayHaveFactor } from '../../calls/session.ts'
import { useListChanges } from '../../calls/submit.ts'
import type { Account, Beneficiary, OwnFactors } from '../../state/types.ts'
import { EveryAccount, OfAccount, type Part, useOfAccounts } from './every-account.tsx'

type Verb = 'deactivate' | 'reactivate' | 'trust' | 'untrust'

type NamedProps = { beneficiary: Beneficiary; account: Account | undefined }

function Named({ beneficiary, account }: NamedProps) {
  const t = texts().beneficiaries
  const { name, nickname, iban, status, trusted } = beneficiary
  return (
    <div>
      <strong>{nickname ?? name}</strong>{' '}
      {status !== 'active' && <Badge kind="warning">{t.deactivated}</Badge>}{' '}
      {trusted && <Badge kind="good">{t.trusted}</Badge>}
      {nickname !== null && <p>{name}</p>}
      <div class="quiet">
        <Iban iban={iban} />
      </div>
      <OfAccount account={account} />
    </div>
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
    ({ id }) => `/accounts/${id}/beneficiaries?limit=50`,
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
          <Rows of={items}>
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
          </Rows>
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
