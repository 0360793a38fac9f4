// Whom an account may pay.
import { useState } from 'preact/hooks'
import { Badge, Button, ButtonLink, Iban, Notice, Screen, Section } from '../../parts/basic.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Outcome } from '../../parts/form.tsx'
import { useFocusKept } from '../../parts/focus.ts'
import { Listed, Rows } from '../../parts/list.tsx'
import { Menu } from '../../parts/menu.tsx'
import { usePages, useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { readQuery } from '../../state/router.ts'
import { mayHaveFactor } from '../../calls/session.ts'
import { useListChanges } from '../../calls/submit.ts'
import type { Account, Beneficiary, OwnFactors } from '../../state/types.ts'
import { accountLabel, EachAccount } from './account-choice.tsx'

type Verb = 'deactivate' | 'reactivate' | 'trust' | 'untrust'

function Named({ beneficiary }: { beneficiary: Beneficiary }) {
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
    </div>
  )
}

function List({ account, title }: { account: Account; title: string }) {
  const t = texts().beneficiaries
  const list = usePages<Beneficiary>(`/accounts/${account.id}/beneficiaries?limit=50`)
  const [added] = useState(() => (readQuery().has('added') ? t.added : ''))
  const changing = useListChanges(list, added)
  const [deleting, setDeleting] = useState<Beneficiary>()
  useFocusKept(list.data?.length)
  const canChange = account.status === 'active'
  // Who has no factor confirms no payment, and so has nothing to be spared.
  const own = useRead<OwnFactors>(mayHaveFactor() ? '/auth/factors' : undefined)
  const hasFactor = (own.data?.factors.length ?? 0) > 0
  const actions = (beneficiary: Beneficiary) => {
    const { id, name, status, trusted = false } = beneficiary
    const verb = status === 'active' ? 'deactivate' : 'reactivate'
    const trust = trusted ? 'untrust' : 'trust'
    const turn = (to: Verb) => () =>
      void changing.change(
        { method: 'POST', path: `/beneficiaries/${id}/${to}` },
        t.turned[to](name),
      )
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
          <Button kind="danger" onClick={() => setDeleting(beneficiary)}>
            {t.remove}
            {whom}
          </Button>
        </Menu>
      </div>
    )
  }
  async function remove({ id, name }: Beneficiary): Promise<void> {
    await changing.change({ method: 'DELETE', path: `/beneficiaries/${id}` }, t.removed(name))
    setDeleting(undefined)
  }
  return (
    <Section
      title={title}
      actions={
        canChange && (
          <ButtonLink href={`${to('beneficiaryNew')}?account=${account.id}`} kind="primary">
            {t.add}
          </ButtonLink>
        )
      }
    >
      {changing.told && <Notice kind="good">{changing.told}</Notice>}
      <Outcome of={changing} />
      <Listed of={list} none={t.none}>
        {(items) => (
          <Rows of={items}>
            {(beneficiary) => (
              <>
                <Named beneficiary={beneficiary} />
                {canChange && actions(beneficiary)}
              </>
            )}
          </Rows>
        )}
      </Listed>
      {deleting && (
        <Question
          title={t.removeTitle(deleting.name)}
          confirm={t.removeForGood}
          isBusy={changing.isBusy}
          onConfirm={() => void remove(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          <p>{t.removeText}</p>
        </Question>
      )}
    </Section>
  )
}

export const Beneficiaries = () => (
  <Screen title={texts().beneficiaries.title}>
    <EachAccount>
      {(account, all) => (
        <List
          key={account.id}
          account={account}
          title={all.length > 1 ? accountLabel(account) : texts().beneficiaries.list}
        />
      )}
    </EachAccount>
  </Screen>
)
