// Closes an account, in two steps: the first tells what happens, the second closes it for good.
import { useState } from 'preact/hooks'
import { accountName, UserText } from '../../parts/accounts.tsx'
import { useAccount } from '../../calls/own-accounts.ts'
import {
  Button,
  ButtonLink,
  Facts,
  groupIban,
  Loaded,
  Notice,
  Screen,
  Section,
} from '../../parts/basic.tsx'
import { Outcome } from '../../parts/form.tsx'
import { Question } from '../../parts/dialog.tsx'
import { texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { type Submit, useSubmit } from '../../calls/submit.ts'
import type { Account } from '../../state/types.ts'

const isZero = ({ balance }: Account): boolean => !/[1-9]/.test(balance)

/** Why the account cannot be closed now, and what to do about it. */
function Obstacle({ account }: { account: Account }) {
  const t = texts().accountClose
  const { id, balance, status } = account
  const isOverdrawn = balance.startsWith('-')
  if (status === 'frozen') return <Notice kind="warning">{t.frozen}</Notice>
  return (
    <Notice kind="warning">
      <p>{isOverdrawn ? t.overdrawn : t.notEmpty}</p>
      {!isOverdrawn && <ButtonLink href={`${to('transfer')}?from=${id}`}>{t.moveMoney}</ButtonLink>}
    </Notice>
  )
}

function Closing({ account, of: closing }: { account: Account; of: Submit<unknown> }) {
  const t = texts().accountClose
  const [isAsking, setAsking] = useState(false)
  const path = `/accounts/${account.id}`
  const close = () => void closing.submit({ method: 'DELETE', path, isRepeatable: true })
  const { failure } = closing
  const canClose = account.status === 'active' && isZero(account)
  return (
    <Section title={t.what}>
      <Facts
        rows={[
          [t.account, <UserText>{accountName(account)}</UserText>],
          ['IBAN', groupIban(account.iban)],
          [t.balance, <Money amount={account.balance} currency={account.currency} />],
        ]}
      />
      <ul class="points">
        {t.points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <div class="actions">
        <ButtonLink href={`${to('statements')}?account=${account.id}`}>{t.statements}</ButtonLink>
        {canClose && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            {t.begin}
          </Button>
        )}
        <ButtonLink href={to('account', { accountId: account.id })}>{t.keep}</ButtonLink>
      </div>
      {!canClose && <Obstacle account={account} />}
      {isAsking && (
        <Question
          title={t.confirm}
          isUrgent
          confirm={t.submit}
          isBusy={closing.isBusy}
          onConfirm={close}
          keep={t.keep}
          onClose={() => setAsking(false)}
        >
          <p>
            <UserText>{accountName(account)}</UserText> · {groupIban(account.iban)}
          </p>
          <p>{t.forGood}</p>
          {failure?.code === 'account_not_empty' ? (
            <Notice kind="bad" role="alert">
              {t.stillMoney}
            </Notice>
          ) : (
            <Outcome of={closing} />
          )}
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
          {({ account }) => <Closing account={account} of={closing} />}
        </Loaded>
      )}
    </Screen>
  )
}
