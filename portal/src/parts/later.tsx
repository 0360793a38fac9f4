// Shows what is loaded when it is first needed.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failure } from '../state/failure.ts'
import { FailureNotice, Skeleton } from './basic.tsx'

type Props<P> = { load: () => Promise<ComponentType<P>>; with: P }

export function Later<P extends object>({ load, with: properties }: Props<P>) {
  const [Found, setFound] = useState<ComponentType<P>>()
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    load().then(
      (found) => setFound(() => found),
      () => setLost(true),
    )
  }, [])
  if (Found) return <Found {...properties} />
  // Only a reload asks again for a script: perhaps the service has new ones.
  const again = () => location.reload()
  return isLost ? <FailureNotice failure={new Failure('offline')} again={again} /> : <Skeleton />
}
