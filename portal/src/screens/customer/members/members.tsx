// Who acts for an account, for its owner: members and invitations, each changed or ended here.
import { useState } from 'preact/hooks'
import { usePages } from '../../../calls/call.ts'
import { useListChanges } from '../../../calls/submit.ts'
import { UserText } from '../../../parts/accounts.tsx'
import { Badge, Button, Notice } from '../../../parts/basic.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Fold } from '../../../parts/fold.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import type { Account, Member } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { formatTime } from '../../../texts/time.tsx'
import { AccountDrafts } from './drafts.tsx'
import { MemberForm, nameOfMember } from './member-form.tsx'
import { describeRights } from './member-words.ts'
import { TwoToSign } from './two-to-sign.tsx'

const kinds = { active: 'good', invited: 'plain', inactive: 'warning', ended: 'plain' } as const

function MemberText({ of: member }: { of: Member }) {
  const t = texts().members
  const { status, name, username, expiresAt, endedAt } = member
  return (
    <div>
      <strong>
        <UserText>{nameOfMember(member)}</UserText>
      </strong>{' '}
      {status !== 'active' && <Badge kind={kinds[status]}>{t.statuses[status]}</Badge>}
      <p>{describeRights(member)}</p>
      <p class="quiet small">
        {name && username && <UserText>{username}</UserText>}
        {status === 'invited' && t.waits(formatTime(expiresAt))}
        {endedAt && ` · ${formatTime(endedAt)}`}
      </p>
    </div>
  )
}

type AskedChange = { verb: 'invite' } | { verb: 'change' | 'end'; member: Member }

function Found({ account: { id: accountId, currency } }: { account: Account }) {
  const t = texts().members
  const path = `/accounts/${accountId}/members`
  const list = usePages<Member>(`${path}?limit=100`)
  const { told, change, tell, ...changing } = useListChanges(list)
  const [asked, setAsked] = useState<AskedChange>()
  const close = () => setAsked(undefined)
  const end = ({ id }: Member) =>
    change({ method: 'DELETE', path: `${path}/${id}` }, t.ended).then(close)
  const isOver = ({ status }: Member) => status === 'ended'
  const former = (list.data ?? []).filter(isOver)
  const present = list.data?.filter((member) => !isOver(member))
  return (
    <div class="column">
      <p class="quiet">{t.text}</p>
      {told && <Notice kind="good">{told}</Notice>}
      {asked?.verb !== 'end' && <Outcome of={changing} />}
      <Listed of={{ ...list, data: present }} none={t.none}>
        {(members) => (
          <Rows of={members}>
            {(member) => (
              <>
                <MemberText of={member} />
                <div class="actions">
                  <Button
                    label={t.changeOf(nameOfMember(member))}
                    onClick={() => setAsked({ verb: 'change', member })}
                  >
                    {t.change}
                  </Button>
                  <Button
                    kind="danger"
                    label={t.endOf(nameOfMember(member))}
                    onClick={() => setAsked({ verb: 'end', member })}
                  >
                    {t.end}
                  </Button>
                </div>
              </>
            )}
          </Rows>
        )}
      </Listed>
      <div class="actions">
        <Button onClick={() => setAsked({ verb: 'invite' })}>{t.invite}</Button>
      </div>
      {former.length > 0 && (
        <details>
          <summary>{t.formerOnes(former.length)}</summary>
          <Rows of={former}>{(member) => <MemberText of={member} />}</Rows>
        </details>
      )}
      {asked?.verb === 'end' && (
        <Question
          title={t.endOf(nameOfMember(asked.member))}
          confirm={t.end}
          isBusy={changing.isBusy}
          onConfirm={() => void end(asked.member)}
          onClose={close}
        >
          <p>{t.endText}</p>
        </Question>
      )}
      {(asked?.verb === 'invite' || asked?.verb === 'change') && (
        <MemberForm
          accountId={accountId}
          currency={currency}
          member={asked.verb === 'change' ? asked.member : undefined}
          onDone={(done) => {
            close()
            tell(done)
          }}
          onClose={close}
        />
      )}
    </div>
  )
}

export const Members = ({ account }: { account: Account }) => (
  <Fold title={texts().members.title}>
    <div class="column">
      <Found account={account} />
      <TwoToSign accountId={account.id} />
      <AccountDrafts account={{ ...account, ownerName: undefined, mayPay: true }} />
    </div>
  </Fold>
)
