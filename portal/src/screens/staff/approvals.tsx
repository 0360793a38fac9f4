// Changes by staff that wait for a second person, who approves or rejects them.
import { useEffect, useState } from 'preact/hooks'
import { Badge, Button, Facts, Notice, Screen, Section } from '../../parts/basic.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Check, Field } from '../../parts/field.tsx'
import {
  bindFields,
  findBlank,
  findUnfit,
  Form,
  FormActions,
  Outcome,
  useErrors,
  useTyped,
} from '../../parts/form.tsx'
import { Later } from '../../parts/later.tsx'
import { Listed, Rows } from '../../parts/list.tsx'
import { type Pages, usePages, useRead } from '../../calls/call.ts'
import { to } from '../../state/paths.ts'
import { readQuery } from '../../state/router.ts'
import { loadTexts, texts } from '../../texts/language.ts'
import { me } from '../../calls/session.ts'
import { countWaiting } from '../../calls/waiting.ts'
import { useListChanges } from '../../calls/submit.ts'
import { Time, timeZoneName } from '../../texts/time.tsx'
import type { Approval } from '../../state/types.ts'
import { actionName, type Names, PersonName, useShownNames } from './audit-names.tsx'

const loadParts = async () => {
  const [parts] = await Promise.all([import('./approval-request.tsx'), loadTexts('blocks')])
  return parts
}
const loadSubject = async () => (await loadParts()).SubjectFacts
const loadRequest = async () => (await loadParts()).ApprovalRequest

type Verb = 'approve' | 'reject' | 'withdraw'

function ApprovalFacts({ of: approval, names }: { of: Approval; names: Names }) {
  const t = texts().approvals
  const { makerId, checkerId, createdAt, expiresAt, reason, status } = approval
  const person = (actorId: string) => <PersonName of={{ actorId, address: '' }} names={names} />
  return (
    <Facts
      rows={[
        [t.askedBy, person(makerId)],
        [t.askedAt, <Time at={createdAt} />],
        [t.until, status === 'pending' ? <Time at={expiresAt} /> : undefined],
        [t.decidedBy, checkerId ? person(checkerId) : undefined],
        [t.why, reason],
      ]}
    />
  )
}

type DecisionsProps = {
  of: Approval
  names: Names
  isBusy: boolean
  onChoose: (verb: Verb) => void
}

/** What the reader may do with a change that waits: its maker approves nothing of their own. */
function Decisions({ of: approval, names, isBusy, onChoose }: DecisionsProps) {
  const words = texts().approvals
  const { makerId, operation } = approval
  const isOwn = makerId === me.value?.id
  const verbs: readonly Verb[] = isOwn ? ['withdraw'] : ['approve', 'reject']
  const toLabel = (verb: Verb) =>
    words.of(words[verb], actionName({ action: operation }), names.get(makerId)?.name ?? makerId)
  return (
    <div class="actions">
      {isOwn && <p class="quiet">{words.own}</p>}
      {verbs.map((verb) => (
        <Button
          key={verb}
          kind={verb === 'approve' ? 'primary' : 'plain'}
          isBusy={isBusy}
          label={toLabel(verb)}
          onClick={() => onChoose(verb)}
        >
          {words[verb]}
        </Button>
      ))}
    </div>
  )
}

/** Those that wait, or all; a change that was held leads to its own request alone. */
function useRequests(requestId: string | null, hasAll: boolean): Pages<Approval> {
  const all = usePages<Approval>(
    requestId
      ? undefined
      : `/admin/approvals?limit=50&subjects=true${hasAll ? '' : '&status=pending'}`,
  )
  const one = useRead<Approval>(
    requestId ? `/admin/approvals/${encodeURIComponent(requestId)}?subjects=true` : undefined,
  )
  const data = requestId ? one.data && [one.data] : all.data
  useEffect(() => {
    if (all.data) countWaiting(all.data)
  }, [all.data])
  return requestId ? { ...one, data, more: undefined } : { ...all, data }
}

/** Above the one request of a change that was held. */
const HeldNotice = ({ of: approval }: { of: Approval | undefined }) => (
  <p>
    {approval?.status === 'pending' && texts().errors.approval_pending}{' '}
    <a href={to('approvals')}>{texts().approvals.toAll}</a>
  </p>
)

const toPeople = ({ makerId, makerName, checkerId, checkerName }: Approval) => [
  { actorId: makerId, actorName: makerName },
  { actorId: checkerId, actorName: checkerName },
]

export function Approvals() {
  const t = texts()
  const words = t.approvals
  const [hasAll, setAll] = useState(false)
  const requestId = readQuery().get('request')
  const list = useRequests(requestId, hasAll)
  const names = useShownNames((list.data ?? []).flatMap(toPeople))
  const { told, change, ...changing } = useListChanges(list)
  const [asked, setAsked] = useState<{ verb: Verb; approval: Approval }>()
  const end = () => setAsked(undefined)
  function decide(verb: Verb, { id }: Approval, body?: object): void {
    end()
    const path = `/admin/approvals/${id}`
    // A repeat would be refused because the first one took effect, and told as if it had not.
    const once = { isRepeatable: false }
    if (verb === 'withdraw') void change({ method: 'DELETE', path, ...once }, words.withdrawn)
    else {
      const done = verb === 'approve' ? words.approved : words.rejected
      void change({ method: 'POST', path: `${path}/${verb}`, body, ...once }, done)
    }
  }
  const choose = (verb: Verb, approval: Approval) =>
    verb === 'withdraw' ? decide(verb, approval) : setAsked({ verb, approval })
  return (
    <Screen title={t.nav.approvals}>
      <Section title={words.intro}>
        {told && <Notice kind="good">{told}</Notice>}
        <Outcome of={changing} />
        {requestId ? (
          <HeldNotice of={list.data?.[0]} />
        ) : (
          <Check label={words.all} checked={hasAll} onChange={setAll} />
        )}
        <Listed of={list} none={words.none} lines={6}>
          {(approvals) => (
            <Rows of={approvals}>
              {(approval) => (
                <div class="card-part approval">
                  <h3>
                    {actionName({ action: approval.operation })}{' '}
                    <Badge>{words.statuses[approval.status]}</Badge>
                  </h3>
                  <ApprovalFacts of={approval} names={names} />
                  <Later load={loadSubject} with={{ of: approval }} />
                  {approval.status === 'pending' && (
                    <Decisions
                      of={approval}
                      names={names}
                      isBusy={changing.isBusy}
                      onChoose={(verb) => choose(verb, approval)}
                    />
                  )}
                </div>
              )}
            </Rows>
          )}
        </Listed>
        <p class="quiet">{t.common.timesIn(timeZoneName())}</p>
      </Section>
      {asked?.verb === 'approve' && (
        <Approving
          approval={asked.approval}
          names={names}
          onApprove={() => decide('approve', asked.approval)}
          onClose={end}
        />
      )}
      {asked?.verb === 'reject' && (
        <Rejection
          onReject={(reason) => decide('reject', asked.approval, { reason })}
          onClose={end}
        />
      )}
    </Screen>
  )
}

type ApprovingProps = {
  approval: Approval
  names: Names
  onApprove: () => void
  onClose: () => void
}

/** The maker's review; it can be approved once all of it was read. */
function Approving({ approval, names, onApprove, onClose }: ApprovingProps) {
  const t = texts()
  const decision = (
    <>
      <p>{t.approvals.approveMeaning}</p>
      <div class="actions">
        <Button kind="primary" onClick={onApprove}>
          {t.approvals.approve}
        </Button>
        <Button onClick={onClose}>{t.common.cancel}</Button>
      </div>
    </>
  )
  return (
    <Dialog title={actionName({ action: approval.operation })} onClose={onClose}>
      <ApprovalFacts of={approval} names={names} />
      <Later load={loadRequest} with={{ of: approval, children: decision }} />
    </Dialog>
  )
}

type RejectionProps = { onReject: (reason: string) => void; onClose: () => void }

function Rejection({ onReject, onClose }: RejectionProps) {
  const t = texts()
  const [typed, change] = useTyped({ reason: '' })
  const [errors, accept] = useErrors()
  function submit(): void {
    if (accept({ ...findBlank(typed, 'reason'), ...findUnfit(typed, 'reason') }))
      onReject(typed.reason.trim())
  }
  return (
    <Dialog title={t.approvals.reject} onClose={onClose}>
      <p>{t.approvals.rejectMeaning}</p>
      <Form errors={errors} onSubmit={submit}>
        <Field
          {...bindFields(typed, change, errors)('reason')}
          isFirst
          label={t.approvals.reason}
          maxLength={140}
        />
        <FormActions label={t.approvals.reject} kind="danger" cancel={onClose} />
      </Form>
    </Dialog>
  )
}
