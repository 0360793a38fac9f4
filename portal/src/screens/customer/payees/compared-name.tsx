// What the comparison of a payee's name has found, before the payee is paid.
import { type Compared, needsAcceptance } from '../../../calls/payee-check.ts'
import { Notice } from '../../../parts/basic.tsx'
import { texts } from '../../../texts/language.ts'

/** What the comparison of the name has found, in words; nothing where the bank compares none. */
export function ComparedName({ of: check }: { of: Compared | undefined }) {
  const t = texts().transfer.compared
  if (check === undefined) return null
  if (check === 'failed') return <Notice kind="warning">{t.failed}</Notice>
  const { name, policy, result } = check
  if (policy === 'off') return null
  if (result === 'match') return <p class="quiet">{t.match}</p>
  const said = result === 'close_match' && name !== undefined ? t.close_match(name) : t[result]
  const words = typeof said === 'string' ? said : t.no_match
  if (!needsAcceptance(check)) return <p class="quiet">{words}</p>
  return (
    <Notice kind="warning" role="alert">
      {words}
    </Notice>
  )
}
