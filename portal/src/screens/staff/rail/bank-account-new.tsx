// Adds an account of the bank. It is for good, and cannot be sent twice: when the answer is lost,
// the page leads to where the account would be.
import { useState } from 'preact/hooks'
import { ButtonLink, Notice, Screen, Section } from '../../../parts/basic.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findBlank,
  findUnfit,
  Form,
  FormActions,
  hasErrors,
} from '../../../parts/form.tsx'
import { useSubmit } from '../../../calls/submit.ts'
import { useDraft } from '../../../state/draft.ts'
import { to } from '../../../state/paths.ts'
import type { BankAccount } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { currencies } from '../../../texts/money.tsx'

const draft = 'bank-account'
const blank = { code: '', currency: 'EUR', name: '' }

/** As the API takes a code: it is in addresses, and stays. */
const isCode = (text: string): boolean => /^[a-z][a-z0-9-]{1,29}$/.test(text)

export function BankAccountNew() {
  const t = texts()
  const words = t.bankAccountNew
  const [typed, change, clear] = useDraft(draft, blank)
  const [isChecked, setChecked] = useState(false)
  const adding = useSubmit<BankAccount>()
  const { code, currency } = typed
  const found = {
    ...findUnfit(typed, 'name'),
    ...(!isCode(code.trim()) && { code: words.badCode }),
    ...(typed.name.trim() === '' && findBlank(typed, 'name')),
  }
  const errors = errorsOf(adding, isChecked ? found : {}, {})
  async function add(): Promise<void> {
    setChecked(true)
    if (hasErrors(found)) return
    const body = { code: code.trim(), currency, name: typed.name.trim() }
    const path = '/admin/bank-accounts'
    if (await adding.submit({ method: 'POST', path, body, isRepeatable: false, draft })) clear()
  }
  const page = (account: { code: string; currency: string }) => to('staffBank', account)
  if (adding.result) {
    return (
      <Screen title={words.title}>
        <Section title={words.done}>
          <Notice kind="good">{`${adding.result.name} (${adding.result.currency})`}</Notice>
          <div class="actions">
            <ButtonLink kind="primary" href={page(adding.result)}>
              {words.show}
            </ButtonLink>
          </div>
        </Section>
      </Screen>
    )
  }
  const field = bindFields(typed, change, errors)
  return (
    <Screen title={words.title}>
      <Section title={words.details}>
        <p>{words.meaning}</p>
        <Form errors={errors} of={adding} onSubmit={() => void add()}>
          {adding.state === 'unknown' && (
            <p>
              <a href={page({ code: code.trim(), currency })}>{words.look}</a>
            </p>
          )}
          <Field {...field('name')} label={words.name} maxLength={70} />
          <Field {...field('code')} label={words.code} hint={words.codeHint} maxLength={30} />
          <Field
            {...field('currency')}
            label={words.currency}
            options={currencies.map((each) => [each, each] as const)}
          />
          <FormActions label={words.add} isBusy={adding.isBusy} cancel={to('today')} />
        </Form>
      </Section>
    </Screen>
  )
}
