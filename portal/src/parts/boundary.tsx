// What is shown in place of a screen that cannot be drawn.
import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { bankName } from '../state/bank.ts'
import { texts } from '../texts/language.ts'
import { visitCount } from '../state/router.ts'
import { Button, Notice, Screen } from './basic.tsx'

type Props = { children: ComponentChildren; isWholePage?: boolean }

/**
 * Shows its children. Once one of them has thrown, a sentence with a way to try again, until
 * another page is visited.
 */
export function Boundary({ children, isWholePage = false }: Props) {
  const [error, reset] = useErrorBoundary((thrown) => reportError(thrown))
  useEffect(reset, [visitCount.value])
  if (error === undefined) return <>{children}</>
  const t = texts().common
  const told = (
    <Screen title={bankName}>
      <Notice kind="bad" role="alert">
        <p>{t.broken}</p>
        <Button onClick={() => location.reload()}>{t.again}</Button>
      </Notice>
    </Screen>
  )
  return isWholePage ? <main class="narrow">{told}</main> : told
}
