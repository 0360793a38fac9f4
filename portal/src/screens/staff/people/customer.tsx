// A person as staff see them: contact data, accounts, sessions, and what the audit trail has.
import { useEffect } from 'preact/hooks'
import { nameOf, UserText } from '../../../parts/accounts.tsx'
import { Copyable, Facts, Loaded, Screen, Section } from '../../../parts/basic.tsx'
import { Later } from '../../../parts/later.tsx'
import { Listed } from '../../../parts/list.tsx'
import { usePages, useRead } from '../../../calls/call.ts'
import { to } from '../../../state/paths.ts'
import { loadTexts, texts } from '../../../texts/language.ts'
import { isAdmin, me } from '../../../calls/session.ts'
import { Time, timeZoneName } from '../../../texts/time.tsx'
import type { Account, User } from '../../../state/types.ts'
import { loadOpenOrders } from '../../common/open-orders-later.ts'
import { keepCustomer } from '../finding/last-customers.ts'
import { Accounts } from '../lists.tsx'
import { lateTexts } from './late-texts.ts'
import { Notes } from './notes.tsx'
import { Sessions } from './sessions.tsx'
import { roleNames, UserStatus } from './user-fields.tsx'

/** Its words are many: the page is shown before they are there. */
const loadParts = async () =>
  (await Promise.all([import('./caller.tsx'), loadTexts(...lateTexts.person)]))[0]
const loadCaller = async () => (await loadParts()).Caller
const loadAccess = async () => (await loadParts()).PayeesAndFactors

function Person({ user }: { user: User }) {
  const t = texts().customer
  return (
    <Section title={t.person}>
      <Facts
        rows={[
          [t.username, user.username],
          [t.roles, roleNames(user)],
          [t.status, <UserStatus user={user} />],
          [t.email, user.email],
          [t.phone, user.phone ?? texts().common.none],
          [t.address, user.address ? <UserText>{user.address}</UserText> : texts().common.none],
          [t.since, <Time at={user.createdAt} style="date" />],
          [t.id, <Copyable text={user.id} name={t.id} />],
          [t.externalId, user.externalId && <UserText>{user.externalId}</UserText>],
        ]}
      />
    </Section>
  )
}

async function loadEdit() {
  const [{ UserEdit }] = await Promise.all([import('./user-edit.tsx'), loadTexts('people')])
  return UserEdit
}

async function loadAnswers() {
  const [{ AccountAnswers }] = await Promise.all([
    import('./account-answers.tsx'),
    loadTexts('accounts', 'ledger', 'cards', 'orders'),
  ])
  return AccountAnswers
}

const toOrders = (userId: string) =>
  [
    ['allOf', `${to('staffOrders')}?ownerId=${userId}`],
    ['allBy', `${to('staffOrders')}?orderedBy=${userId}`],
  ] as const

function AccountsOf({ user }: { user: User }) {
  const t = texts().customer
  const accounts = usePages<Account>(`/admin/accounts?ownerId=${user.id}&limit=50`)
  return (
    <Section title={t.accounts}>
      <Listed of={accounts} none={t.noAccounts}>
        {(items) => (
          <>
            <Accounts accounts={items} />
            <Later load={loadAnswers} with={{ accounts: items }} />
          </>
        )}
      </Listed>
    </Section>
  )
}

export function StaffCustomer({ parameters }: { parameters: Record<string, string> }) {
  const t = texts()
  const read = useRead<User>(`/admin/users/${parameters['userId']}`)
  const { data } = read
  useEffect(() => {
    if (data?.roles.includes('customer')) keepCustomer({ id: data.id, name: nameOf(data) })
  }, [data])
  return (
    <Screen title={read.data ? nameOf(read.data) : t.customer.title}>
      <Loaded of={read} lines={8}>
        {(user) => (
          <>
            <p class="quiet">
              <UserText>
                {[user.username, user.phone, user.address].filter(Boolean).join(' · ')}
              </UserText>
            </p>
            <div class="split">
              <div class="wide column">
                <AccountsOf user={user} />
                {user.id !== me.value?.id && <Notes path={`/admin/users/${user.id}`} />}
                <Later load={loadCaller} with={{ user }} />
                {user.roles.includes('customer') && (
                  <Later
                    load={loadOpenOrders}
                    with={{ filter: `ownerId=${user.id}`, links: toOrders(user.id) }}
                  />
                )}
              </div>
              <div class="column">
                <Person user={user} />
                <Sessions user={user} isOwn={user.id === me.value?.id} />
                <Later load={loadAccess} with={{ user }} />
              </div>
            </div>
            {isAdmin() && (
              <details>
                <summary>{t.customer.edit}</summary>
                <div class="column">
                  <Later load={loadEdit} with={{ user, onChanged: read.again }} />
                </div>
              </details>
            )}
            <p class="quiet small">{t.common.timesIn(timeZoneName())}</p>
          </>
        )}
      </Loaded>
    </Screen>
  )
}
