// Changes by staff that lead to the same end. A list of STRONGROOM_FOUR_EYES that names some of
// them leaves the others to one administrator, such as a list from before they existed.
import type { Operation } from '../../audit/actions.ts'
import type { Log } from '../../telemetry/log.ts'

/** Each change of the class `transfer` is in a group. */
const groups: readonly (readonly Operation[])[] = [
  // An account gets money, by the word of staff alone.
  [
    'chargeBackCardPayment',
    'createDeposit',
    'createIncomingPayment',
    'createPosting',
    'refundCardPayment',
    'returnTransfer',
    'reverseTransfer',
    'winChargeback',
  ],
  // An account loses money.
  [
    'captureCardPayment',
    'captureHold',
    'clearCardPayment',
    'createPosting',
    'createWithdrawal',
    'loseChargeback',
    'reverseTransfer',
    'withdrawChargeback',
  ],
  // Money of an account is reserved, or free again.
  [
    'authorizeCardPayment',
    'createHold',
    'incrementCardPayment',
    'releaseCardPayment',
    'releaseHold',
    'updateHold',
  ],
  // A payment counts as sent, or as arrived.
  ['sendTransfer', 'settleTransfer'],
]

/** With these an administrator becomes the second one; with a link only where an issuer is set. */
const waysToSecond = (hasIssuer: boolean): readonly Operation[] => [
  'createUser',
  'updateUser',
  ...(hasIssuer ? (['linkIssuer'] as const) : []),
]

/** The operations that do not wait, though others that lead to the same end do. */
export function findUnlistedSiblings(names: readonly string[], hasIssuer = false): Operation[] {
  if (names.length === 0) return []
  const touched = groups.filter((group) => group.some((name) => names.includes(name)))
  return [...new Set([...touched.flat(), ...waysToSecond(hasIssuer)])]
    .filter((name) => !names.includes(name))
    .toSorted()
}

/** Names them in one warning, at the start. */
export function warnOfUnlistedSiblings(
  names: readonly string[],
  { log, hasIssuer }: { log: Pick<Log, 'warn'>; hasIssuer: boolean },
): void {
  const because = findUnlistedSiblings(names, hasIssuer).join(', ')
  if (because === '') return
  log.warn({ because }, 'STRONGROOM_FOUR_EYES leaves ways to the same end to one administrator')
}
