// A field for a password, which can be shown.
import { useState } from 'preact/hooks'
import { texts } from '../texts/language.ts'
import { Check, Field, type FieldProps } from './field.tsx'

export function PasswordField(field: Omit<FieldProps, 'type' | 'options'>) {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <Field {...field} isSecret type={isShown ? 'text' : 'password'} />
      <Check label={texts().password.show} checked={isShown} onChange={setShown} />
    </>
  )
}
