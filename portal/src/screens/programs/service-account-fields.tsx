// What a service account may do: the fields of its creation and of each change.
import { useState } from 'preact/hooks'
import { Button, groupIban } from '../../parts/basic.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { bindFields, type Errors, errorsOf, findBlank, findUnfit } from '../../parts/form.tsx'
import { send, useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import type { Submission } from '../../state/failure.ts'
import { to } from '../../state/paths.ts'
import type { Account, List, ServiceAccount, User } from '../../state/types.ts'
import { grantable } from './operations.ts'

export type ServiceTerms = {
  name: string
  reads: 'none' | 'all' | 'one'
  /** The user name or identifier of the customer whose accounts are read. */
  customer: string
  payFrom: string[]
  operations: string[]
  /** As typed: with blanks or commas between. */
  addresses: string
  /** A day; empty: it does not expire. */
  expiresAt: string
}

export const emptyTerms: ServiceTerms = {
  name: '',
  reads: 'none',
  customer: '',
  payFrom: [],
  operations: [],
  addresses: '',
  expiresAt: '',
}

export const toTerms = ({ name, grants, addresses, expiresAt }: ServiceAccount): ServiceTerms => {
  const { readAccounts, payFrom, operations } = grants
  return {
    name,
    reads: readAccounts === null ? 'none' : readAccounts === 'all' ? 'all' : 'one',
    customer: readAccounts === null || readAccounts === 'all' ? '' : readAccounts,
    payFrom: [...payFrom],
    operations: [...operations],
    addresses: addresses.join(', '),
    expiresAt: expiresAt?.slice(0, 10) ?? '',
  }
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** The identifier of a customer; undefined when there is no such person. */
async function findCustomer(typed: string): Promise<string | undefined> {
  const text = typed.trim()
  if (isId(text)) return text
  const query = new URLSearchParams({ username: text })
  const path = `/admin/users?${query}`
  const found = await send<List<User>>({ method: 'GET', path }).catch(() => undefined)
  return found?.items[0]?.id
}

/** As the API takes it; with messages in place of what it would refuse. */
export async function toBody(terms: ServiceTerms): Promise<{ body?: object; errors: Errors }> {
  const { name, reads, customer, payFrom, operations, addresses, expiresAt } = terms
  const customerId = reads === 'one' ? await findCustomer(customer) : undefined
  const errors = {
    ...findBlank(terms, 'name'),
    ...findUnfit(terms, 'name'),
    ...(reads === 'one' && !customerId && { customer: texts().programs.noCustomer }),
  }
  const readAccounts = reads === 'none' ? null : reads === 'all' ? 'all' : customerId
  const body = {
    name: name.trim(),
    grants: { readAccounts, payFrom, operations },
    addresses: addresses.split(/[\s,;]+/).filter((part) => part !== ''),
    expiresAt: expiresAt || null,
  }
  return { body, errors }
}

/** What is wrong, with the message for each field that the API may refuse. */
export function termsErrors(submit: Submission, own: Errors): Errors {
  const t = texts().programs
  const found = errorsOf(submit, own, {
    name: texts().form.badText,
    readAccounts: t.noCustomer,
    payFrom: t.noAccount,
    expiresAt: t.badEnd,
  })
  // The API names the place in a list of what it refuses: only addresses are typed.
  const fields = Object.entries(found).map(([field, message]) =>
    /^\d+$/.test(field) ? ['addresses', t.badAddresses] : [field, message],
  )
  return Object.fromEntries(fields) as Errors
}

/** An account by its IBAN, once that is read. */
export function AccountById({ id }: { id: string }) {
  const read = useRead<Account>(`/admin/accounts/${id}`)
  return (
    <a class="code" href={to('staffAccount', { accountId: id })}>
      {read.data ? groupIban(read.data.iban) : id}
    </a>
  )
}

type PayFromProps = { ids: string[]; onChange: (ids: string[]) => void; error: string | undefined }

function PayFrom({ ids, onChange, error }: PayFromProps) {
  const t = texts()
  const [typed, setTyped] = useState('')
  const [isMissing, setMissing] = useState(false)
  async function add(): Promise<void> {
    const iban = typed.replaceAll(/\s/g, '').toUpperCase()
    const path = `/admin/accounts?${new URLSearchParams({ iban })}`
    const found = await send<List<Account>>({ method: 'GET', path }).catch(() => undefined)
    const account = found?.items.find(({ status }) => status !== 'closed')
    setMissing(!account)
    if (!account) return
    setTyped('')
    if (!ids.includes(account.id)) onChange([...ids, account.id])
  }
  return (
    <fieldset>
      <legend>{t.programs.payFrom}</legend>
      <ul class="rows">
        {ids.map((id) => (
          <li key={id}>
            <AccountById id={id} />
            <Button
              label={`${t.programs.remove} ${id}`}
              onClick={() => onChange(ids.filter((other) => other !== id))}
            >
              {t.programs.remove}
            </Button>
          </li>
        ))}
      </ul>
      <Field
        name="payFrom"
        label={t.programs.addAccount}
        value={typed}
        onInput={setTyped}
        maxLength={42}
        error={isMissing ? t.programs.noAccount : error}
      />
      <Button onClick={() => void add()}>{t.programs.add}</Button>
    </fieldset>
  )
}

type Props = {
  value: ServiceTerms
  onChange: (change: Partial<ServiceTerms>) => void
  errors: Errors
}

function Operations({ value: { operations }, onChange }: Omit<Props, 'errors'>) {
  const t = texts()
  return (
    <fieldset class="choices">
      <legend>{t.programs.operations}</legend>
      {grantable.map((name) => (
        <Check
          key={name}
          label={t.audit.actions[name]}
          checked={operations.includes(name)}
          onChange={(checked) => {
            const others = operations.filter((other) => other !== name)
            onChange({ operations: checked ? [...others, name] : others })
          }}
        />
      ))}
    </fieldset>
  )
}

export function TermsFields({ value, onChange, errors }: Props) {
  const t = texts().programs
  const of = bindFields(value, onChange, errors)
  return (
    <>
      <Field {...of('name')} label={t.name} hint={t.nameHint} maxLength={70} />
      <fieldset data-field="readAccounts" tabIndex={-1}>
        <legend>{t.readAccounts}</legend>
        {(['none', 'all', 'one'] as const).map((reads) => (
          <Check
            key={reads}
            oneOf="reads"
            label={t.reads[reads]}
            checked={value.reads === reads}
            onChange={(isChosen) => isChosen && onChange({ reads })}
          />
        ))}
      </fieldset>
      {value.reads === 'one' && (
        <Field {...of('customer')} label={t.customer} hint={t.customerHint} maxLength={64} />
      )}
      <PayFrom
        ids={value.payFrom}
        onChange={(payFrom) => onChange({ payFrom })}
        error={errors['payFrom']}
      />
      <Operations value={value} onChange={onChange} />
      <Field {...of('addresses')} label={t.addresses} hint={t.addressesHint} maxLength={900} />
      <Field {...of('expiresAt')} label={t.expiresAt} hint={t.expiresHint} type="date" />
    </>
  )
}
