// A movement of money as staff see it: both sides, its state, and what an administrator may do.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import {
  Badge,
  Button,
  Copyable,
  Facts,
  Loaded,
  Notice,
  Screen,
  Section,
} from '../../parts/basic.tsx'
import { Outcome } from '../../parts/form.tsx'
import { Later } from '../../parts/later.tsx'
import { useRead } from '../../calls/call.ts'
import { colon, loadTexts, texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { isAdmin, me } from '../../calls/session.ts'
import { useSubmit } from '../../calls/submit.ts'
import { Time, timeZoneName } from '../../texts/time.tsx'
import type { ReasonCode, Transfer } from '../../state/types.ts'
import { ReceiptFile } from '../common/receipt-file.tsx'
import { Reversal } from './reversal.tsx'
import { AccountLink } from './account-link.tsx'
import { bankCode, type ChangeNotice, isBanks, type SideRead, useSide } from './transfer-side.ts'

type SideProps = { title: string; of: SideRead; other: SideRead; banks: ComponentChildren }

/**
 * The name is in the entry of the other side: the payer's is that of the holder, the payee's is as
 * the payer wrote it.
 */
function Side({ title, of: { account, entry }, other, banks }: SideProps) {
  const t = texts().staffTransfer
  if (banks) return <Section title={title}>{banks}</Section>
  const seen = other.entry.data
  const name = seen?.counterparty?.name
  const isBack = seen?.kind === 'reversal' || seen?.kind === 'return'
  const isByPayer = seen?.amount.startsWith('-') !== isBack
  return (
    <Section title={title}>
      <Loaded of={account}>
        {(data) => (
          <Facts
            rows={[
              [t.account, <AccountLink account={data} />],
              [
                t.holder,
                <a href={to('staffCustomer', { userId: data.ownerId })}>
                  <UserText>{name && !isByPayer ? name : texts().staffAccount.showHolder}</UserText>
                </a>,
              ],
              [t.nameByPayer, name && isByPayer ? <UserText>{name}</UserText> : undefined],
              [
                t.change,
                entry.data && <Money amount={entry.data.amount} currency={data.currency} signed />,
              ],
              [
                t.balanceAfter,
                entry.data && <Money amount={entry.data.balanceAfter} currency={data.currency} />,
              ],
              [t.balanceNow, <Money amount={data.balance} currency={data.currency} />],
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

const loadReturns = async () => {
  const [parts] = await Promise.all([import('./return-reason.tsx'), loadTexts('returns')])
  return parts
}
const loadReasonText = () => loadReturns().then(({ ReasonText }) => ReasonText)
const loadReturnQuestion = () => loadReturns().then(({ ReturnQuestion }) => ReturnQuestion)

/**
 * What happens to a payment to another bank: it is settled, or returned, also after it arrived. It
 * is for good, so it is asked twice.
 */
type ClearingProps = {
  transfer: Transfer
  /** Whether the account that it left is closed: its money cannot go back there. */
  isClosed: boolean
  again: (notice?: ChangeNotice) => void
}

function Clearing({ transfer, isClosed, again }: ClearingProps) {
  const t = texts().staffTransfer
  const [asked, setAsked] = useState<'settle' | 'return'>()
  const changing = useSubmit()
  async function send(verb: 'settle' | 'return', body?: { reasonCode: ReasonCode }) {
    const path = `/admin/transfers/${transfer.id}/${verb}`
    const done = await changing.submit({ method: 'POST', path, body, isRepeatable: false })
    // Also after a refusal or a lost answer: what is shown then is how it stands.
    setAsked(undefined)
    const isElsewhere = verb === 'return' && isClosed
    again(done && { kind: 'good', text: isElsewhere ? t.return.closedDone : t[verb].done })
  }
  const hasArrived = transfer.status === 'completed'
  const isSettling = asked === 'settle'
  return (
    <Section title={hasArrived ? t.arrived : t.pending}>
      <p>{isSettling ? t.settle.text : hasArrived ? t.arrivedText : t.pendingText}</p>
      <Outcome of={changing} />
      <div class="actions">
        {isSettling ? (
          <>
            <Button kind="primary" isBusy={changing.isBusy} onClick={() => void send('settle')}>
              {t.settle.confirm}
            </Button>
            <Button onClick={() => setAsked(undefined)}>{texts().common.cancel}</Button>
          </>
        ) : (
          <>
            {!hasArrived && <Button onClick={() => setAsked('settle')}>{t.settle.ask}</Button>}
            <Button onClick={() => setAsked('return')}>{t.return.ask}</Button>
          </>
        )}
      </div>
      {asked === 'return' && (
        <Later
          load={loadReturnQuestion}
          with={{
            title: t.return.title,
            confirm: t.return.confirm,
            isBusy: changing.isBusy,
            onConfirm: (reasonCode: ReasonCode) => void send('return', { reasonCode }),
            onClose: () => setAsked(undefined),
            children: <p>{isClosed ? t.return.closedText : t.return.text}</p>,
          }}
        />
      )}
    </Section>
  )
}

/** What brought money back itself, or is refunded as a card payment: it is never reversed. */
const isFinal: ReadonlySet<Transfer['kind']> = new Set([
  'reversal',
  'return',
  'cancellation',
  'card',
  'clearing',
  'refund',
])

/** One to another bank, a payment or money that is sent back there, which has not come back. */
const mayReturn = ({ kind, status, toAccountId = '', reversedBy }: Transfer): boolean =>
  (kind === 'transfer' || kind === 'return') &&
  isBanks(toAccountId) &&
  bankCode(toAccountId) === 'clearing' &&
  reversedBy === undefined &&
  status !== 'cancelled' &&
  status !== 'returned'

/** What the payer was told of the name, and went on with: who bears a wrong payment. */
function checkRows(check: Transfer['payeeCheck']) {
  const t = texts().staffTransfer
  if (!check) return []
  const { accepted, name, result } = check
  const said = t.payeeResults[result]
  return [
    [t.nameChecked, accepted ? `${said}. ${t.accepted}` : said],
    [t.nameTold, name && <UserText>{name}</UserText>],
  ] as const
}

function TransferFacts({ of: transfer }: { of: Transfer }) {
  const t = texts()
  const words = t.staffTransfer
  const { id, kind, status, amount, currency, creditorIban } = transfer
  const link = (transferId: string) => (
    <a href={to('staffTransfer', { transferId })}>{words.open}</a>
  )
  return (
    <Section title={words.details}>
      <Facts
        rows={[
          [
            words.amount,
            <strong>
              <Money amount={amount} currency={currency} />
            </strong>,
          ],
          [words.kind, t.entry.kinds[kind]],
          [
            words.status,
            <Badge kind={status === 'completed' ? 'good' : 'warning'}>
              {words.statuses[status]}
            </Badge>,
          ],
          [
            words.why,
            transfer.reasonCode && (
              <Later load={loadReasonText} with={{ code: transfer.reasonCode }} />
            ),
          ],
          [
            words.reference,
            transfer.reference ? <UserText>{transfer.reference}</UserText> : t.common.none,
          ],
          ...checkRows(transfer.payeeCheck),
          [words.wasFor, creditorIban && <Copyable text={creditorIban} name={words.wasFor} />],
          [words.at, <Time at={transfer.createdAt} style="exact" />],
          [words.reversalOf, transfer.reversalOf && link(transfer.reversalOf)],
          [words.reversedBy, transfer.reversedBy && link(transfer.reversedBy)],
          [words.id, <Copyable text={id} name={words.id} />],
        ]}
      />
    </Section>
  )
}

function Details({ transfer, again }: { transfer: Transfer; again: () => void }) {
  const t = texts()
  const words = t.staffTransfer
  const { id, kind, status, currency, fromAccountId, toAccountId } = transfer
  const [told, setTold] = useState<ChangeNotice>()
  const from = useSide(fromAccountId, id)
  const target = useSide(toAccountId, id)
  const banks = (accountId: string | undefined) => {
    if (!isBanks(accountId)) return undefined
    const code = accountId && bankCode(accountId)
    if (code === 'clearing' && isByCard && payee) return <UserText>{payee}</UserText>
    if (code === 'clearing') return payee ? `${words.elsewhere}${colon()}${payee}` : words.elsewhere
    if (!code) return t.trial.account
    return <a href={to('staffBank', { code, currency })}>{t.trial.codes[code]}</a>
  }
  const outside =
    from.entry.data?.counterparty ?? target.entry.data?.counterparty ?? transfer.counterparty
  const isByCard = kind === 'card' || kind === 'clearing' || kind === 'refund'
  const payee = [outside?.name, outside?.iban].filter((part) => part).join(', ')
  const isOwn = [from, target].some((side) => side.account.data?.ownerId === me.value?.id)
  const isRead = [from, target].every(({ account }) => account.data ?? !account.isLoading)
  const mayChange = isAdmin() && isRead && !isOwn
  const readAgain = (notice?: ChangeNotice) => {
    setTold(notice)
    for (const side of [from, target]) side.account.again()
    again()
  }
  return (
    <>
      {told && <Notice kind={told.kind}>{told.text}</Notice>}
      <TransferFacts of={transfer} />
      <div class="grid">
        <Side title={words.from} of={from} other={target} banks={banks(fromAccountId)} />
        <Side title={words.to} of={target} other={from} banks={banks(toAccountId)} />
      </div>
      {isAdmin() && isOwn && <Notice kind="warning">{t.staffAccount.own}</Notice>}
      {mayChange && mayReturn(transfer) && (
        <Clearing
          transfer={transfer}
          isClosed={from.account.data?.status === 'closed'}
          again={readAgain}
        />
      )}
      {mayChange && status === 'completed' && !isFinal.has(kind) && !transfer.reversedBy && (
        <Reversal transfer={transfer} from={from} to={target} again={readAgain} />
      )}
      <p class="quiet small">{t.common.timesIn(timeZoneName())}</p>
    </>
  )
}

export function StaffTransfer({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().staffTransfer
  const read = useRead<Transfer>(`/transfers/${parameters['transferId']}`)
  return (
    <Screen title={t.title} actions={read.data && <ReceiptFile transferId={read.data.id} />}>
      <Loaded of={read} lines={8}>
        {(transfer) => <Details transfer={transfer} again={read.again} />}
      </Loaded>
    </Screen>
  )
}
