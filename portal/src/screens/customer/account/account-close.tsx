// Closes an account, in two steps: the first tells what happens, the second closes it for good.
import { useState } from 'preact/hooks'
import { accountName, BlockNotice, UserText } from '../../../parts/accounts.tsx'
import { useRead } from '../../../calls/call.ts'
import { useAccount } from '../../../calls/own-accounts.ts'
import {
  Button,
  ButtonLink,
  Facts,
  groupIban,
  Loaded,
  Notice,
  Screen,
  Section,
} from '../../../parts/basic.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { texts } from '../../../texts/language.ts'
import { formatMoney, Money, negate, sum } from '../../../texts/money.tsx'
import { to } from '../../../state/paths.ts'
import { type Submit, useSubmit } from '../../../calls/submit.ts'
import type { Account, List, Transfer } from '../../../state/types.ts'

const isSome = (amount: string): boolean => /[1-9]/.test(amount)

type ObstacleProps = { account: Account; isPending: boolean; role?: 'status' | 'alert' }

/** Why the account cannot be closed now, and what to do about it: all of it at once. */
function Obstacle({ account, isPending, role = 'status' }: ObstacleProps) {
  const t = texts().accountClose
  const { id, balance, blocked, held, currency, status } = account
  if (status === 'frozen') return <Notice kind="warning">{t.frozen}</Notice>
  if (blocked.debits || blocked.credits) return <BlockNotice of={account} />
  const isOverdrawn = balance.startsWith('-')
  const free = sum([balance, negate(held)], currency)
  const canMove = isSome(free) && !free.startsWith('-')
  return (
    <Notice kind="warning" role={role}>
      {isOverdrawn && <p>{t.overdrawn}</p>}
      {canMove && <p>{t.notEmpty}</p>}
      {isSome(held) && <p>{t.reserved(formatMoney(held, currency))}</p>}
      {isPending && <p>{t.onItsWay}</p>}
      {canMove && <ButtonLink href={`${to('transfer')}?from=${id}`}>{t.moveMoney}</ButtonLink>}
    </Notice>
  )
}

type ClosingProps = { account: Account; of: Submit<unknown>; again: () => void }

function Closing({ account, of: closing, again }: ClosingProps) {
  const t = texts().accountClose
  const { id, balance, blocked, held, status } = account
  const [isAsking, setAsking] = useState(false)
  const [tried, setTried] = useState<Account>()
  const pending = useRead<List<Transfer>>(`/transfers?accountId=${id}&status=pending&limit=1`)
  const hasPending = (pending.data?.items.length ?? 0) > 0
  async function close(): Promise<void> {
    setTried(account)
    const path = `/accounts/${id}`
    if (!(await closing.submit({ method: 'DELETE', path, isRepeatable: true }))) again()
  }
  const isEmpty = !isSome(balance) && !isSome(held)
  const isBlocked = blocked.debits || blocked.credits
  const canClose = status === 'active' && isEmpty && !hasPending && !isBlocked
  const isRefused = closing.failure?.code === 'account_not_empty'
  return (
    <Section title={t.what}>
      <Facts
        rows={[
          [t.account, <UserText>{accountName(account)}</UserText>],
          ['IBAN', groupIban(account.iban)],
          [t.balance, <Money amount={balance} currency={account.currency} />],
        ]}
      />
      <ul class="points">
        {t.points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <div class="actions">
        <ButtonLink href={`${to('statements')}?account=${id}`}>{t.statements}</ButtonLink>
        {canClose && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            {t.begin}
          </Button>
        )}
        <ButtonLink href={to('account', { accountId: id })}>{t.keep}</ButtonLink>
      </div>
      {!canClose && !isAsking && <Obstacle account={account} isPending={hasPending} />}
      {isAsking && (
        <Question
          title={t.confirm}
          isUrgent
          confirm={t.submit}
          isBusy={closing.isBusy}
          onConfirm={() => void close()}
          keep={t.keep}
          onClose={() => setAsking(false)}
        >
          <p>
            <UserText>{accountName(account)}</UserText> · {groupIban(account.iban)}
          </p>
          <p>{t.forGood}</p>
          {/* Told once the account was read again. What else keeps an empty one is a payment. */}
          {isRefused && account !== tried && (
            <Obstacle account={account} isPending={hasPending || isEmpty} role="alert" />
          )}
          {!isRefused && <Outcome of={closing} />}
        </Question>
      )}
    </Section>
  )
}

export function AccountClose({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().accountClose
  const closing = useSubmit()
  const read = useAccount(parameters['accountId'] as string)
  return (
    <Screen title={t.title}>
      {closing.state === 'done' ? (
        <Section title={t.done}>
          <Notice kind="good">{t.doneText}</Notice>
          <div class="actions">
            <ButtonLink href={to('home')} kind="primary">
              {texts().accountNew.toList}
            </ButtonLink>
          </div>
        </Section>
      ) : (
        <Loaded of={read} lines={5}>
          {({ account }) => <Closing account={account} of={closing} again={read.again} />}
        </Loaded>
      )}
    </Screen>
  )
}
