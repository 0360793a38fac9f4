// Shows what is loaded when it is first needed.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failure } from '../state/failure.ts'
import { FailureNotice, Skeleton } from './basic.tsx'

type Props<P> = {
  load: () => Promise<ComponentType<P>>
  with: P
  /** Keeps no place, and tells of no failure: what is loaded mostly shows nothing. */
  isQuiet?: boolean
}

export function Later<P extends object>({ load, with: properties, isQuiet }: Props<P>) {
  const [Found, setFound] = useState<ComponentType<P>>()
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    load().then(
      (found) => setFound(() => found),
      () => setLost(true),
    )
  }, [])
  if (Found) return <Found {...properties} />
  if (isQuiet) return null
  // Only a reload asks again for a script: perhaps the service has new ones.
  const again = () => location.reload()
  return isLost ? <FailureNotice failure={new Failure('offline')} again={again} /> : <Skeleton />
}
