// What the bank knows of the link of a mail, asked when the page is opened.
import { useEffect, useState } from 'preact/hooks'
import { retryRead, send } from '../../calls/call.ts'
import type { Failure } from '../../state/failure.ts'

/** Whose link it is; dead when it does nothing any more. Neither before the answer. */
export function useLink(
  kind: 'password-reset' | 'factor-reset',
  token: string,
): { username?: string; isDead?: boolean } {
  const [found, setFound] = useState({})
  useEffect(() => {
    if (token === '') return
    const path = `/auth/${kind}/check`
    retryRead(() => send<{ username: string }>({ method: 'POST', path, body: { token } })).then(
      setFound,
      // Where the bank is out of reach, the form says so once it is sent.
      (thrown: unknown) => setFound({ isDead: (thrown as Partial<Failure>).status === 400 }),
    )
  }, [])
  return found
}
