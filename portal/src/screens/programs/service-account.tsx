// One service account: what it may do, its keys, and for administrators its changes.
import { textOfWord } from '../../../../languages/words.ts'
import { useState } from 'preact/hooks'
import { nameOf, UserText } from '../../parts/accounts.tsx'
import { Button, Copyable, Facts, Loaded, Notice, Screen, Section } from '../../parts/basic.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Form, Outcome, useErrors, useTyped } from '../../parts/form.tsx'
import { Later } from '../../parts/later.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { isAdmin } from '../../calls/session.ts'
import { useSubmit } from '../../calls/submit.ts'
import { Time } from '../../texts/time.tsx'
import type { List, ServiceAccount, User } from '../../state/types.ts'
import { loadOpenOrders } from '../common/open-orders-later.ts'
import { Keys } from './keys.tsx'
import type { Grantable } from './operations.ts'
import {
  AccountById,
  TermsFields,
  termsErrors,
  toBody,
  toTerms,
} from './service-account-fields.tsx'
import { ProgramStatus, readsOf } from './service-accounts.tsx'

type Props = { of: ServiceAccount; again: () => void }

const PersonLink = ({ id, shown = id }: { id: string; shown?: string | undefined }) => (
  <a href={to('staffCustomer', { userId: id })}>
    <UserText>{shown}</UserText>
  </a>
)

function Granted({ of: { grants } }: Pick<Props, 'of'>) {
  const t = texts()
  const { readAccounts, payFrom, operations } = grants
  return (
    <Section title={t.programs.grants}>
      <Facts
        rows={[
          [
            t.programs.readAccounts,
            readAccounts === null || readAccounts === 'all' ? (
              readsOf(grants)
            ) : (
              <PersonLink id={readAccounts} shown={readsOf(grants)} />
            ),
          ],
          [
            t.programs.payFrom,
            payFrom.length === 0 ? (
              t.common.none
            ) : (
              <ul>
                {payFrom.map((id) => (
                  <li key={id}>
                    <AccountById id={id} />
                  </li>
                ))}
              </ul>
            ),
          ],
          [
            t.programs.operations,
            operations.length === 0 ? (
              t.common.none
            ) : (
              <ul>
                {operations.map((name) => (
                  <li key={name}>{textOfWord(t.audit.actions, name as Grantable, name)}</li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </Section>
  )
}

function About({ of }: Pick<Props, 'of'>) {
  const t = texts()
  const { id, addresses, expiresAt, administrators, createdAt } = of
  const admins = useRead<List<User>>('/admin/users?role=admin&limit=100')
  const nameById = (userId: string): string | undefined => {
    const user = admins.data?.items.find((one) => one.id === userId)
    return user && nameOf(user)
  }
  return (
    <Section title={t.programs.about}>
      <Facts
        rows={[
          [t.programs.status, <ProgramStatus of={of} />],
          [t.programs.addresses, addresses.length > 0 ? addresses.join(', ') : t.programs.anywhere],
          [
            t.programs.expiresAt,
            expiresAt === null ? t.programs.noEnd : <Time at={expiresAt} style="date" />,
          ],
          [
            t.programs.administrators,
            <ul>
              {administrators.map((userId) => (
                <li key={userId}>
                  <PersonLink id={userId} shown={nameById(userId)} />
                </li>
              ))}
            </ul>,
          ],
          [t.programs.since, <Time at={createdAt} style="date" />],
          [t.programs.id, <Copyable text={id} name={t.programs.id} />],
          [
            t.programs.trail,
            isAdmin() ? (
              <a href={`${to('audit')}?actorId=${id}`}>{t.programs.showTrail}</a>
            ) : undefined,
          ],
        ]}
      />
    </Section>
  )
}

function Switch({ of: { id, name, status }, again }: Props) {
  const t = texts().programs
  const [isAsking, setAsking] = useState(false)
  const switching = useSubmit<ServiceAccount>()
  const verb = t.switches[status]
  async function send(): Promise<void> {
    setAsking(false)
    const body = { status: status === 'active' ? 'disabled' : 'active' }
    const path = `/admin/service-accounts/${id}`
    if (await switching.submit({ method: 'PATCH', path, body, isRepeatable: true })) again()
  }
  return (
    <>
      <Outcome of={switching} />
      <Button
        kind={status === 'active' ? 'danger' : 'plain'}
        isBusy={switching.isBusy}
        onClick={() => setAsking(true)}
      >
        {verb.ask}
      </Button>
      {isAsking && (
        <Question
          title={verb.ask}
          confirm={verb.ask}
          kind={status === 'active' ? 'danger' : 'primary'}
          onConfirm={() => void send()}
          onClose={() => setAsking(false)}
        >
          <p>{verb.text(name)}</p>
        </Question>
      )}
    </>
  )
}

function Change({ of, again }: Props) {
  const t = texts()
  const [terms, change] = useTyped(toTerms(of))
  const [own, accept] = useErrors()
  const saving = useSubmit<ServiceAccount>()
  const errors = termsErrors(saving, own)
  async function submit(): Promise<void> {
    const { body, errors: found } = await toBody(terms)
    if (!accept(found)) return
    const path = `/admin/service-accounts/${of.id}`
    if (await saving.submit({ method: 'PATCH', path, body, isRepeatable: true })) again()
  }
  return (
    <Section title={t.programs.change}>
      {saving.state === 'done' && <Notice kind="good">{t.programs.saved}</Notice>}
      <Form errors={errors} of={saving} onSubmit={() => void submit()}>
        <TermsFields value={terms} onChange={change} errors={errors} />
        <Button kind="primary" type="submit" isBusy={saving.isBusy}>
          {t.common.save}
        </Button>
      </Form>
    </Section>
  )
}

const toOrders = (id: string) => [['allByProgram', `${to('staffOrders')}?program=${id}`]] as const

export function StaffServiceAccount({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().programs
  const read = useRead<ServiceAccount>(`/admin/service-accounts/${parameters['serviceAccountId']}`)
  return (
    <Screen
      title={read.data?.name ?? t.one}
      actions={isAdmin() && read.data && <Switch of={read.data} again={read.again} />}
    >
      <Loaded of={read} lines={8}>
        {(of) => (
          <>
            <Keys of={of} again={read.again} />
            <div class="grid">
              <About of={of} />
              <Granted of={of} />
            </div>
            <Later
              load={loadOpenOrders}
              with={{ filter: `orderedBy=${of.id}`, links: toOrders(of.id) }}
            />
            {isAdmin() && (
              <details class="fold">
                <summary>{t.change}</summary>
                <Change of={of} again={read.again} />
              </details>
            )}
          </>
        )}
      </Loaded>
    </Screen>
  )
}
