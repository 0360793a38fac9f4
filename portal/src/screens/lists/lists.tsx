// Payment lists of an account: a file is checked, looked at, ordered, and watched while it is paid.
import { useEffect, useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import {
  Badge,
  Button,
  FailureNotice,
  Facts,
  Loaded,
  Notice,
  Screen,
  Section,
  useElementId,
} from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { Later } from '../../parts/later.tsx'
import { Listed, Rows } from '../../parts/list.tsx'
import { Outcome } from '../../parts/form.tsx'
import { usePages, useRead } from '../../calls/call.ts'
import { download } from '../../calls/download.ts'
import { goOnUnattended } from '../../calls/unattended.ts'
import { useSubmit } from '../../calls/submit.ts'
import { hasMembers } from '../../state/bank.ts'
import { changeQuery, readQuery } from '../../state/router.ts'
import type { Account, PaymentList, PaymentListLine } from '../../state/types.ts'
import { colon, language, texts } from '../../texts/language.ts'
import { formatCount, formatMoney } from '../../texts/money.tsx'
import { formatDay } from '../../texts/time.tsx'
import { WithAccount } from '../customer/account-choice.tsx'
import { loadPayingTerms } from '../customer/members/paying-terms-later.ts'
import { csvHead, type FileFault, readListFile } from './list-file.ts'

const pollMs = 1000

type ChooseProps = { account: Account; onChecked: (list: PaymentList) => void }

function Choose({ account, onChecked }: ChooseProps) {
  const t = texts().lists
  const { submit, ...checking } = useSubmit<PaymentList>()
  const [faults, setFaults] = useState<FileFault[]>([])
  const [lines, setLines] = useState<number[]>([])
  const [day, setDay] = useState('')
  const fileId = useElementId()
  async function take(file: File | undefined): Promise<void> {
    if (!file) return
    setFaults([])
    checking.reset()
    const read = await readListFile(file)
    if (read.faults) return setFaults(read.faults)
    setLines('lines' in read ? read.lines : [])
    const own = { currency: account.currency, ...(day !== '' && { executeOn: day }) }
    const body = 'body' in read ? read.body : { ...own, items: read.items }
    const path = `/accounts/${account.id}/payment-lists`
    const key = crypto.randomUUID()
    const made = await submit({ method: 'POST', path, body, key, isRepeatable: true })
    if (made) onChecked(made.result)
  }
  return (
    <Section title={t.choose}>
      <form
        onSubmit={(event) => event.preventDefault()}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          void take(event.dataTransfer?.files[0])
        }}
      >
        <p>{t.chooseText}</p>
        {hasMembers && <Later load={loadPayingTerms} with={{ account, isAlone: true }} isQuiet />}
        <p>
          <code>{csvHead}</code>
        </p>
        <Field name="executeOn" label={t.dayHint} type="date" value={day} onInput={setDay} />
        <div class="field">
          <label for={fileId}>{t.file}</label>
          <input
            id={fileId}
            type="file"
            accept=".csv,.xml,text/csv,application/xml"
            disabled={checking.isBusy}
            onChange={({ currentTarget }) => {
              void take(currentTarget.files?.[0])
              currentTarget.value = ''
            }}
          />
        </div>
      </form>
      {faults.length > 0 && (
        <Notice kind="bad" role="alert">
          <p>{t.wrongLines}</p>
          <ul>
            {faults.map(({ line, what }) => (
              <li key={`${line} ${what}`}>{t.fault(line, t.faults[what])}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Outcome of={checking} />
      {checking.failure && <Places of={checking.failure.places} lines={lines} />}
    </Section>
  )
}

type PlacesProps = { of: readonly { path: string; message: string }[]; lines: readonly number[] }

/** Where the bank found a fault, in its own words: they are for the author of the file. */
function Places({ of: places, lines }: PlacesProps) {
  const t = texts().lists
  if (places.length === 0) return null
  return (
    <Notice kind="bad" role="alert">
      <p>{t.wrongFile}</p>
      <ul lang="en">
        {places.map(({ path, message }) => {
          const [, index = '', rest = ''] = /^\/body\/items\/(\d+)(.*)/.exec(path) ?? []
          const line = lines[Number(index || -1)]
          return (
            <li key={path + message}>
              {line !== undefined && <span lang={language()}>{t.fault(line, '')}</span>}
              <code>{line === undefined ? path.replace('/body', '') : rest.slice(1)}</code>{' '}
              {message}
            </li>
          )
        })}
      </ul>
    </Notice>
  )
}

function Line({ of: line }: { of: PaymentListLine }) {
  const t = texts()
  const { index, payee, amount, currency, reference, status, refusal } = line
  const kinds = { ready: 'plain', made: 'good', refused: 'bad' } as const
  return (
    <>
      <p>
        {index + 1}. {payee ? <UserText>{payee.name}</UserText> : t.lists.noPayee}{' '}
        <Badge kind={kinds[status]}>{t.lists.lineStatuses[status]}</Badge>
      </p>
      <p class="quiet">
        {formatMoney(amount, currency)} {payee && <span class="code">{payee.iban}</span>}{' '}
        {reference && <UserText>{reference}</UserText>}
      </p>
      {refusal && <p>{t.lists.refusals[refusal]}</p>}
    </>
  )
}

function Lines({ of: { id, status, made, refusedCount } }: { of: PaymentList }) {
  const t = texts().lists
  const [only, setOnly] = useState('')
  const path = `/payment-lists/${id}/lines?limit=50${only && `&status=${only}`}`
  const pages = usePages<PaymentListLine>(path)
  const done = made.count + refusedCount
  useEffect(() => {
    if (status === 'executed') pages.again()
  }, [status, done])
  const items = pages.data?.map((line) => ({ ...line, id: String(line.index) }))
  return (
    <Section title={t.lines}>
      <p>
        <label>
          <input
            type="checkbox"
            checked={only !== ''}
            onChange={() => setOnly(only === '' ? 'refused' : '')}
          />{' '}
          {t.onlyRefused}
        </label>
      </p>
      <Listed of={{ ...pages, data: items }} none={t.noLines}>
        {(lines) => <Rows of={lines}>{(line) => <Line of={line} />}</Rows>}
      </Listed>
    </Section>
  )
}

const describeSum = ({ count, total }: PaymentList['made'], currency: string): string =>
  `${count}${colon()}${formatMoney(total, currency)}`

/** A list may wait for its day, with its page open: to look at it is no activity. */
function useProgress(isPaying: boolean, again: () => void): void {
  useEffect(() => {
    if (!isPaying) return
    const timer = setInterval(() => {
      goOnUnattended()
      again()
    }, pollMs)
    return () => clearInterval(timer)
  }, [isPaying])
}

function One({ id, onBack }: { id: string; onBack: () => void }) {
  const t = texts().lists
  const read = useRead<PaymentList>(`/payment-lists/${id}`)
  const { submit, ...ordering } = useSubmit<PaymentList>()
  const [saving, setSaving] = useState<Parameters<typeof FailureNotice>[0]['failure']>()
  const list = read.data
  const isPaying = list?.status === 'ordered'
  useProgress(isPaying, read.again)
  async function change(method: 'POST' | 'DELETE', path: string): Promise<void> {
    const key = method === 'POST' ? { key: crypto.randomUUID() } : {}
    await submit({ method, path, isRepeatable: true, ...key })
    read.again()
  }
  const save = () =>
    download(`/payment-lists/${id}?format=pain002`, `pain002-${id}.xml`).catch(setSaving)
  return (
    <Loaded of={read}>
      {(row) => {
        const { ready, all, made, refusedCount, currency, executeOn, status } = row
        const done = made.count + refusedCount
        const isUntouched = made.count === 0 && refusedCount === all.count - ready.count
        return (
          <>
            <Section title={row.messageId ?? t.one}>
              <Facts
                rows={[
                  [t.state, t.statuses[status]],
                  [t.payments, `${formatCount(ready.count)} / ${formatCount(all.count)}`],
                  [t.sum, formatMoney(ready.total, currency)],
                  [t.day, executeOn && formatDay(executeOn)],
                  [t.made, made.count > 0 && describeSum(made, currency)],
                  [t.refused, refusedCount > 0 && formatCount(refusedCount)],
                  [t.hash, status === 'checked' && <span class="code">{row.hash}</span>],
                ]}
              />
              {isPaying && !(isUntouched && executeOn) && (
                <p>
                  <label>
                    {t.progress(done, all.count)} <progress max={all.count} value={done} />
                  </label>
                </p>
              )}
              {status === 'executed' && <Notice kind="good">{t.done}</Notice>}
              <Outcome of={ordering} />
              <div class="actions">
                {status === 'checked' && ready.count > 0 && (
                  <Button
                    kind="primary"
                    isBusy={ordering.isBusy}
                    onClick={() => void change('POST', `/payment-lists/${id}/execute`)}
                  >
                    {t.payDo} {t.pay(ready.count, formatMoney(ready.total, currency))}
                  </Button>
                )}
                {(status === 'checked' || isPaying) && isUntouched && (
                  <Button
                    kind="danger"
                    onClick={() => void change('DELETE', `/payment-lists/${id}`)}
                  >
                    {t.cancel}
                  </Button>
                )}
                <Button onClick={() => void save()}>{t.report}</Button>
                <Button onClick={onBack}>{t.back}</Button>
              </div>
              {saving && <FailureNotice failure={saving} />}
            </Section>
            <Lines of={row} />
          </>
        )
      }}
    </Loaded>
  )
}

function Known({ account, onOpen }: { account: Account; onOpen: (list: PaymentList) => void }) {
  const t = texts().lists
  const pages = usePages<PaymentList>(`/accounts/${account.id}/payment-lists?limit=20`)
  return (
    <Section title={t.known}>
      <Listed of={pages} none={t.none}>
        {(lists) => (
          <Rows of={lists}>
            {(list) => (
              <>
                <p>
                  {list.messageId ?? formatDay(list.createdAt.slice(0, 10))}{' '}
                  <Badge>{t.statuses[list.status]}</Badge>
                </p>
                <p class="quiet">
                  {t.pay(list.ready.count, formatMoney(list.ready.total, list.currency))}
                </p>
                <Button kind="link" onClick={() => onOpen(list)}>
                  {t.open}
                </Button>
              </>
            )}
          </Rows>
        )}
      </Listed>
    </Section>
  )
}

function OfAccount({ account }: { account: Account }) {
  const [open, setOpen] = useState(() => readQuery().get('list') ?? '')
  const show = (id: string) => {
    changeQuery({ list: id })
    setOpen(id)
  }
  if (open !== '') return <One key={open} id={open} onBack={() => show('')} />
  return (
    <>
      {account.status === 'active' && <Choose account={account} onChecked={({ id }) => show(id)} />}
      <Known account={account} onOpen={({ id }) => show(id)} />
    </>
  )
}

export const Lists = () => (
  <Screen title={texts().lists.title}>
    <WithAccount>{(account) => <OfAccount key={account.id} account={account} />}</WithAccount>
  </Screen>
)
