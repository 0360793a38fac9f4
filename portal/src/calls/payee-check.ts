// The comparison of a payee's name with that of the holder, before a payee is saved or paid.
import { useEffect, useState } from 'preact/hooks'
import { Failure } from '../state/failure.ts'
import type { Beneficiary, PayeeCheck } from '../state/types.ts'
import { send } from './call.ts'

/** Too many names were compared, or the bank gave no answer. */
export type Compared = PayeeCheck | 'failed'

type Payee = Pick<Beneficiary, 'name' | 'iban'>

/** Undefined: what else was refused, such as a wrong IBAN, the bank tells next. */
export async function comparePayee(
  accountId: string,
  { name, iban }: Payee,
): Promise<Compared | undefined> {
  const path = `/accounts/${accountId}/payee-checks`
  const sent = { method: 'POST', path, body: { name, iban } } as const
  return send<PayeeCheck>(sent).catch((thrown: unknown) => {
    const isLost = thrown instanceof Failure && [0, 429, 500, 503].includes(thrown.status)
    return isLost ? 'failed' : undefined
  })
}

/** What a person has to accept before money goes to that name. */
export const needsAcceptance = ({ result, policy }: PayeeCheck): boolean =>
  policy === 'required' ? result !== 'match' : result === 'close_match' || result === 'no_match'

type Carried = { payeeCheckId?: string; acceptPayee?: boolean }

/** What the change says of the check, once the person has gone on. */
export function toCarried(check: Compared | undefined): Carried {
  if (typeof check !== 'object') return {}
  if (needsAcceptance(check)) return { payeeCheckId: check.id, acceptPayee: true }
  return check.result === 'match' ? { payeeCheckId: check.id } : {}
}

/** Compares once, when a payee is there. */
export function useCompared(accountId: string, payee: Payee | undefined) {
  const [state, setState] = useState<{ isAsked: boolean; check?: Compared | undefined }>({
    isAsked: false,
  })
  const isThere = payee !== undefined
  useEffect(() => {
    if (!payee) return
    let isShown = true
    const compare = async () => {
      const check = await comparePayee(accountId, payee)
      if (isShown) setState({ isAsked: true, check })
    }
    void compare()
    return () => void (isShown = false)
  }, [accountId, isThere])
  return state
}
