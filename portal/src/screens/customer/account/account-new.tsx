// Opens an account. The request cannot be repeated: when its answer is lost, the newest accounts
// are shown, and the person looks whether the account is there.
import { AccountLink, accountName, UserText } from '../../../parts/accounts.tsx'
import { useAccounts } from '../../../calls/own-accounts.ts'
import {
  Button,
  ButtonLink,
  Facts,
  Iban,
  Loaded,
  Notice,
  Screen,
  Section,
} from '../../../parts/basic.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findUnfit,
  Form,
  FormActions,
  useErrors,
} from '../../../parts/form.tsx'
import { Table } from '../../../parts/table.tsx'
import { useDraft } from '../../../state/draft.ts'
import { locale, texts } from '../../../texts/language.ts'
import { currencies } from '../../../texts/money.tsx'
import { to } from '../../../state/paths.ts'
import { useSubmit } from '../../../calls/submit.ts'
import { Time } from '../../../texts/time.tsx'
import type { Account } from '../../../state/types.ts'

/** The currency of most accounts here first, then by name. */
function currencyOptions(): [string, string][] {
  const names = new Intl.DisplayNames(locale(), { type: 'currency' })
  const named = currencies.map((code): [string, string] => [code, `${code} – ${names.of(code)}`])
  return named.toSorted(([one], [other]) => Number(other === 'EUR') - Number(one === 'EUR'))
}

function Opened({ account }: { account: Account }) {
  const t = texts().accountNew
  return (
    <Section title={t.done}>
      <Notice kind="good">{t.doneText}</Notice>
      <Facts
        rows={[
          [t.name, <UserText>{accountName(account)}</UserText>],
          ['IBAN', <Iban iban={account.iban} />],
        ]}
      />
      <div class="actions">
        <ButtonLink href={to('account', { accountId: account.id })} kind="primary">
          {t.toAccount}
        </ButtonLink>
        <ButtonLink href={to('home')}>{t.toList}</ButtonLink>
      </div>
    </Section>
  )
}

/** How many accounts are shown to find the one that may have been opened. */
const shownMax = 3

function Unknown({ again }: { again: () => void }) {
  const t = texts()
  const accounts = useAccounts()
  return (
    <Section title={t.accountNew.unknown}>
      <Notice kind="warning" role="alert">
        {t.accountNew.unknownText}
      </Notice>
      <Loaded of={accounts}>
        {(items) => (
          <Table
            caption={t.accountNew.newest(items.length)}
            rows={items.slice(0, shownMax)}
            keyOf={({ id }) => id}
            columns={[
              {
                name: t.entry.account,
                isRowHeader: true,
                cell: (account) => <AccountLink account={account} />,
              },
              { name: t.accountNew.currency, cell: ({ currency }) => currency },
              { name: t.account.opened, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Loaded>
      <div class="actions">
        <ButtonLink href={to('home')} kind="primary">
          {t.accountNew.toList}
        </ButtonLink>
        <Button onClick={accounts.again}>{t.accountNew.lookAgain}</Button>
        <Button onClick={again}>{t.accountNew.notThere}</Button>
      </div>
    </Section>
  )
}

export function AccountNew() {
  const t = texts().accountNew
  const initial = { currency: 'EUR', name: '' }
  const [draft, change, clear] = useDraft('accountNew', initial)
  const { currency, name } = draft
  const opening = useSubmit<Account>()
  const [own, accept] = useErrors()
  const errors = errorsOf(opening, own, { name: texts().form.badText, currency: t.wrongCurrency })
  const field = bindFields(draft, change, errors)
  async function submit(): Promise<void> {
    if (!accept(findUnfit(draft, 'name'))) return
    const body = { currency, ...(name.trim() !== '' && { name: name.trim() }) }
    const sent = { method: 'POST', path: '/accounts', body, isRepeatable: false } as const
    if (await opening.submit(sent)) clear()
  }
  return (
    <Screen title={t.title}>
      {opening.result && <Opened account={opening.result} />}
      {opening.state === 'unknown' && <Unknown again={opening.reset} />}
      {!opening.result && opening.state !== 'unknown' && (
        <Section title={t.form}>
          <Form errors={errors} of={opening} onSubmit={() => void submit()}>
            <Field
              {...field('currency')}
              label={t.currency}
              hint={t.currencyHint}
              options={currencyOptions()}
            />
            <Field {...field('name')} label={t.nameLabel} hint={t.nameHint} maxLength={70} />
            <FormActions label={t.submit} isBusy={opening.isBusy} cancel={to('home')} />
          </Form>
        </Section>
      )}
    </Screen>
  )
}
