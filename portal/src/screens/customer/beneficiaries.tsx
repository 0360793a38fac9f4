// Whom an account may pay.
import { useEffect, useState } from 'preact/hooks'
import { Badge, Button, ButtonLink, Dialog, Empty, Iban, Loaded } from '../../parts/basic.tsx'
import { More, Notice, Screen, Section } from '../../parts/basic.tsx'
import { Outcome } from '../../parts/form.tsx'
import { usePages } from '../../call.ts'
import { texts } from '../../language.ts'
import { to } from '../../pages.ts'
import { type Change, useSubmit } from '../../submit.ts'
import type { Account, Beneficiary } from '../../types.ts'
import { readQuery, WithAccount } from './account-choice.tsx'

/** The focus goes to the heading when what had it is gone, such as a deleted row. */
export function useFocusKept(count: number | undefined): void {
  useEffect(() => {
    if (document.activeElement === document.body) {
      document.querySelector<HTMLElement>('main h1')?.focus()
    }
  }, [count])
}

function List({ account }: { account: Account }) {
  const t = texts().beneficiaries
  const list = usePages<Beneficiary>(`/accounts/${account.id}/beneficiaries?limit=50`)
  const changing = useSubmit()
  const [said, setSaid] = useState(readQuery().has('added') ? t.added : '')
  const [deleting, setDeleting] = useState<Beneficiary>()
  useFocusKept(list.items?.length)
  const canChange = account.status === 'active'
  const add = `${to('beneficiaryNew')}?account=${account.id}`

  async function change(part: Pick<Change, 'method' | 'path'>, done: string): Promise<void> {
    setSaid('')
    if (await changing.submit({ ...part, isRepeatable: true })) setSaid(done)
    setDeleting(undefined)
    list.again()
  }
  function turn({ id, name, status }: Beneficiary): void {
    const verb = status === 'active' ? 'deactivate' : 'reactivate'
    const path = `/beneficiaries/${id}/${verb}`
    void change({ method: 'POST', path }, t.turned[verb](name))
  }
  return (
    <Section
      title={t.list}
      actions={
        canChange && (
          <ButtonLink href={add} kind="primary">
            {t.add}
          </ButtonLink>
        )
      }
    >
      {said && <Notice kind="good">{said}</Notice>}
      <Outcome of={changing} />
      <Loaded of={{ ...list, data: list.items }}>
        {(items) =>
          items.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <ul class="rows">
              {items.map((beneficiary) => {
                const { id, name, nickname, iban, status } = beneficiary
                const isActive = status === 'active'
                return (
                  <li key={id}>
                    <div>
                      <strong>{nickname ?? name}</strong>{' '}
                      {!isActive && <Badge kind="warning">{t.deactivated}</Badge>}
                      {nickname !== null && <p>{name}</p>}
                      <div class="quiet">
                        <Iban iban={iban} />
                      </div>
                    </div>
                    {canChange && (
                      <div class="actions">
                        {isActive && (
                          <ButtonLink href={`${to('transfer')}?to=${id}`}>
                            {t.pay}
                            <span class="unseen"> {name}</span>
                          </ButtonLink>
                        )}
                        <Button isBusy={changing.isBusy} onClick={() => turn(beneficiary)}>
                          {isActive ? t.deactivate : t.reactivate}
                          <span class="unseen"> {name}</span>
                        </Button>
                        <Button kind="danger" onClick={() => setDeleting(beneficiary)}>
                          {t.remove}
                          <span class="unseen"> {name}</span>
                        </Button>
                      </div>
                    )}
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
      <More of={list} />
      {deleting && (
        <Dialog title={t.removeTitle(deleting.name)} onClose={() => setDeleting(undefined)}>
          <p>{t.removeText}</p>
          <div class="actions">
            <Button
              kind="danger"
              isBusy={changing.isBusy}
              onClick={() => {
                const path = `/beneficiaries/${deleting.id}`
                void change({ method: 'DELETE', path }, t.removed(deleting.name))
              }}
            >
              {t.removeForGood}
            </Button>
            <Button onClick={() => setDeleting(undefined)}>{texts().common.cancel}</Button>
          </div>
        </Dialog>
      )}
    </Section>
  )
}

export const Beneficiaries = () => (
  <Screen title={texts().beneficiaries.title}>
    <WithAccount>{(account) => <List key={account.id} account={account} />}</WithAccount>
  </Screen>
)
