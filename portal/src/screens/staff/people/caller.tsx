// What a caller asks of: what was refused and why, what happened last, whom the person may pay, and
// how the person signs in.
import { UserText } from '../../../parts/accounts.tsx'
import { Badge, groupIban, Loaded, Section } from '../../../parts/basic.tsx'
import { FactorText } from '../../../parts/factor-text.tsx'
import { Fold } from '../../../parts/fold.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import { usePages, useRead } from '../../../calls/call.ts'
import { hasSecondFactors, isAdmin } from '../../../calls/session.ts'
import { to } from '../../../state/paths.ts'
import type {
  Beneficiary,
  FoundPayment,
  User,
  UserEvents,
  UserFactors,
} from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { Time } from '../../../texts/time.tsx'
import { toDetail } from '../audit-detail.tsx'
import { actionName, OutcomeBadge } from '../audit-names.tsx'
import { FoundRow } from '../finding/payments-found.tsx'

type Event = UserEvents['events'][number]
type Of = { user: User }

function By({ of: by }: { of: Event['by'] }) {
  const t = texts().audit
  if (by === null) return <>{t.nobody}</>
  return <UserText>{by.name ?? t.other(by.id)}</UserText>
}

const EventRow = ({ of: event }: { of: Event }) => (
  <>
    <div>
      {actionName(event)} {event.outcome !== 'success' && <OutcomeBadge of={event} />}
      <p class="quiet small">
        <Time at={event.at} /> · <By of={event.by} />
      </p>
      {toDetail(event) && <p class="quiet">{toDetail(event)}</p>}
    </div>
  </>
)

function LastEvents({ user: { id } }: Of) {
  const [t, words] = [texts().caller, texts().customer]
  const read = useRead<UserEvents>(`/admin/users/${id}/audit-events`)
  return (
    <Section title={t.events}>
      <Loaded of={read} lines={6}>
        {({ events }) =>
          events.length === 0 ? (
            <p class="quiet">{words.noEvents}</p>
          ) : (
            <Rows of={events}>{(event) => <EventRow of={event} />}</Rows>
          )
        }
      </Loaded>
      {isAdmin() && (
        <div class="actions">
          <a href={`${to('audit')}?target=${id}`}>{words.allAbout}</a>
          <a href={`${to('audit')}?actorId=${id}`}>{words.allBy}</a>
        </div>
      )}
    </Section>
  )
}

function Refused({ user: { id } }: Of) {
  const t = texts()
  const list = usePages<FoundPayment>(`/admin/users/${id}/refused-payments?limit=5`)
  return (
    <Section title={t.caller.refused}>
      <Listed of={list} none={t.caller.noRefused}>
        {(items) => <Rows of={items}>{(item) => <FoundRow of={item} />}</Rows>}
      </Listed>
      <p class="quiet small">{t.found.late}</p>
    </Section>
  )
}

function Payees({ user: { id } }: Of) {
  const t = texts().caller
  const list = usePages<Beneficiary>(`/admin/users/${id}/beneficiaries?limit=20`)
  return (
    <Listed of={list} none={t.noPayees}>
      {(payees) => (
        <Rows of={payees}>
          {({ name, nickname, iban, status, trusted, createdAt }) => (
            <div>
              <strong>
                <UserText>{name}</UserText>
              </strong>{' '}
              {status !== 'active' && <Badge kind="warning">{t.deactivated}</Badge>}{' '}
              {trusted && <Badge kind="good">{t.trusted}</Badge>}
              <p class="quiet">
                <span class="code">{groupIban(iban)}</span>
                {nickname && ` · ${nickname}`}
              </p>
              <p class="quiet small">
                {t.added} <Time at={createdAt} style="date" />
              </p>
            </div>
          )}
        </Rows>
      )}
    </Listed>
  )
}

function Factors({ user: { id } }: Of) {
  const t = texts().caller
  const read = useRead<UserFactors>(`/admin/users/${id}/factors`)
  return (
    <Loaded of={read}>
      {({ factors, recoveryCodesLeft, policy }) => (
        <>
          {factors.length === 0 && (
            <p class="quiet">{policy === 'required' ? t.mustEnrol : t.noFactor}</p>
          )}
          <Rows of={factors}>{(factor) => <FactorText of={factor} />}</Rows>
          {factors.length > 0 && <p>{t.codesLeft(recoveryCodesLeft)}</p>}
        </>
      )}
    </Loaded>
  )
}

/** Support agents read no events of staff. */
const mayReadEvents = ({ roles }: User): boolean =>
  isAdmin() || roles.every((role) => role === 'customer')

export function Caller({ user }: Of) {
  const t = texts().caller
  const isOfCustomer = user.roles.includes('customer')
  return (
    <>
      <div class="grid">
        {isOfCustomer && <Refused user={user} />}
        {mayReadEvents(user) && <LastEvents user={user} />}
      </div>
      {isOfCustomer && (
        <Fold title={t.payees}>
          <Payees user={user} />
        </Fold>
      )}
      {hasSecondFactors && (
        <Fold title={t.factors}>
          <Factors user={user} />
        </Fold>
      )}
    </>
  )
}
