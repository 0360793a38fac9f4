// What a caller asks of: what was refused and why, what happened last, whom the person may pay, and
// how the person signs in.
import type { ComponentChildren } from 'preact'
import { UserText } from '../../../parts/accounts.tsx'
import { Badge, groupIban, Loaded, Section } from '../../../parts/basic.tsx'
import { FactorText } from '../../../parts/factor-text.tsx'
import { Fold } from '../../../parts/fold.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import { type Pages, usePages, useRead } from '../../../calls/call.ts'
import { hasSecondFactors, isAdmin } from '../../../calls/session.ts'
import { to } from '../../../state/paths.ts'
import type {
  Beneficiary,
  FoundPayment,
  User,
  UserEvents,
  UserFactors,
} from '../../../state/types.ts'
import { colon, texts } from '../../../texts/language.ts'
import { Money } from '../../../texts/money.tsx'
import { Time } from '../../../texts/time.tsx'
import { toDetail } from '../audit-detail.tsx'
import { actionName, OutcomeBadge } from '../audit-names.tsx'
import { FoundRow } from '../finding/payments-found.tsx'

type Event = UserEvents['events'][number]
type Payment = UserEvents['payments'][number]
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

/** What was paid or received, by whom or from whom. */
function PaymentRow({ of: payment }: { of: Payment }) {
  const t = texts().entry
  const { id: transferId, kind, counterparty, reference, createdAt, amount, currency } = payment
  const names = [counterparty?.name, reference].filter((name) => name).join(' · ')
  return (
    <>
      <div>
        {amount.startsWith('-') ? t.paid : t.received}
        {colon()}
        <a href={to('staffTransfer', { transferId })}>{t.kinds[kind]}</a>{' '}
        <UserText>{names}</UserText>
        <p class="quiet small">
          <Time at={createdAt} />
        </p>
      </div>
      <Money amount={amount} currency={currency} signed />
    </>
  )
}

/** As many of each are read, so that none of the last is missing among them. */
const lastMax = 10

const refusedAt = ({ refused, cardPayment }: FoundPayment): string =>
  (refused ?? cardPayment)?.createdAt ?? ''

type Last = { id: string; at: string; row: ComponentChildren }

/** Events, payments and refusals in one list, the newest first. */
function findLast({ events, payments }: UserEvents, refused: readonly FoundPayment[]): Last[] {
  const all: Last[] = [
    ...events.map((event) => ({ id: event.id, at: event.at, row: <EventRow of={event} /> })),
    ...payments.map((payment) => ({
      id: `${payment.accountId} ${payment.id}`,
      at: payment.createdAt,
      row: <PaymentRow of={payment} />,
    })),
    ...refused.map((found) => ({
      id: `refused ${found.id}`,
      at: refusedAt(found),
      row: <FoundRow of={found} />,
    })),
  ]
  return all.toSorted((one, other) => other.at.localeCompare(one.at)).slice(0, lastMax)
}

type RefusedList = { refused: Pages<FoundPayment> }

function LastEvents({ user: { id, roles }, refused }: Of & RefusedList) {
  const [t, words] = [texts().caller, texts().customer]
  const read = useRead<UserEvents>(`/admin/users/${id}/audit-events`)
  // What was refused is shown once it is there, or where there is none to ask for.
  const isWhole = !roles.includes('customer') || refused.data || refused.failure
  return (
    <Section title={t.events}>
      <Loaded of={isWhole ? read : { ...read, data: undefined }} lines={6}>
        {(events) => {
          const last = findLast(events, refused.data ?? [])
          if (last.length === 0) return <p class="quiet">{words.noEvents}</p>
          return <Rows of={last}>{({ row }) => <>{row}</>}</Rows>
        }}
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

function Refused({ refused }: RefusedList) {
  const t = texts()
  return (
    <Section title={t.caller.refused}>
      <Listed of={refused} none={t.caller.noRefused}>
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
  const isOfCustomer = user.roles.includes('customer')
  const refused = usePages<FoundPayment>(
    isOfCustomer ? `/admin/users/${user.id}/refused-payments?limit=${lastMax}` : undefined,
  )
  return (
    <>
      {isOfCustomer && <Refused refused={refused} />}
      {mayReadEvents(user) && <LastEvents user={user} refused={refused} />}
    </>
  )
}

export function PayeesAndFactors({ user }: Of) {
  const t = texts().caller
  return (
    <>
      {user.roles.includes('customer') && (
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
