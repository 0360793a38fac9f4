// Where a webhook sends to, and the types of events that it is told of.
import { Check, Field } from '../../parts/field.tsx'
import { bindFields, type Errors, findBlank, findUnfit } from '../../parts/form.tsx'
import { texts } from '../../texts/language.ts'
import { eventTypes } from './event-types.ts'

export type Target = { url: string; description: string; types: string[] }

export const toTarget = ({ url, description, types }: Readonly<Target>): Target => ({
  url: url.trim(),
  description: description.trim(),
  types,
})

export function findWrong(target: Target): Errors {
  return {
    ...findBlank(target, 'url'),
    ...findUnfit(target, 'description'),
    types: target.types.length === 0 ? texts().webhooks.noTypes : undefined,
  }
}

/** The message for each field that the API may refuse. */
export const unfitTarget = (): Errors => ({
  url: texts().webhooks.badUrl,
  description: texts().form.badText,
})

type Props = { value: Target; onChange: (change: Partial<Target>) => void; errors: Errors }

export function TargetFields({ value, onChange, errors }: Props) {
  const t = texts()
  const of = bindFields(value, onChange, errors)
  return (
    <>
      <Field {...of('url')} label={t.webhooks.url} hint={t.webhooks.urlHint} maxLength={500} />
      <Field {...of('description')} label={t.webhooks.description} maxLength={140} />
      <fieldset
        class="choices"
        data-field="types"
        tabIndex={-1}
        aria-describedby={errors['types'] && 'types-error'}
      >
        <legend>{t.webhooks.types}</legend>
        {eventTypes.map((type) => (
          <Check
            key={type}
            label={t.feed.types[type]}
            checked={value.types.includes(type)}
            onChange={(checked) => {
              const others = value.types.filter((other) => other !== type)
              onChange({ types: checked ? [...others, type] : others })
            }}
          />
        ))}
        {errors['types'] && (
          <p class="error" id="types-error">
            {errors['types']}
          </p>
        )}
      </fieldset>
    </>
  )
}
