// Movements of money whose outcome is open, or was found out while another screen was shown: told
// on every screen until it is known and read.
import { Button, ButtonLink, Notice } from '../parts/basic.tsx'
import { forgetMovement } from '../calls/movements.ts'
import { isTooLate, type Movement } from '../state/movement.ts'
import { to } from '../state/paths.ts'
import type { Transfer } from '../state/types.ts'
import { explain } from '../texts/explain.ts'
import { texts } from '../texts/language.ts'
import { formatMoney } from '../texts/money.tsx'

type Kind = keyof ReturnType<typeof texts>['movement']['kinds']

/** What moves, by where it is posted. */
const kindOf = ({ path }: Movement): Kind =>
  (['deposit', 'withdrawal', 'reversal', 'posting', 'order'] as const).find((kind) =>
    path.includes(kind),
  ) ?? 'payment'

/** Of a customer: staff move money by other paths. */
const isOwn = ({ path }: Movement): boolean => path === '/transfers'

function describe(movement: Movement): string {
  const { amount, currency } = movement.body as { amount?: string; currency?: string }
  const money = amount && currency ? formatMoney(amount, currency) : ''
  return texts().movement.kinds[kindOf(movement)](money)
}

function outcomePage(movement: Movement): string | undefined {
  const { result, page } = movement as Movement<unknown, { id: string; accountId?: string }>
  if (!result) return page
  if (kindOf(movement) === 'order') return `${to('orders')}?account=${result.accountId}`
  const transferId = result.id
  return isOwn(movement)
    ? `${to('receipt', { transferId })}?checked`
    : to('staffTransfer', { transferId })
}

/** A payment to an IBAN of this bank is refused when no account has it, or has it any more. */
function why(movement: Movement): string {
  const { failure } = movement
  const isPayee = failure?.code === 'account_closed' && isOwn(movement)
  if (isPayee) return texts().form.noPayee
  return failure ? explain(failure) : ''
}

function tell(movement: Movement): { kind: 'good' | 'warning' | 'bad'; text: string } {
  const words = texts().movement
  const t = kindOf(movement) === 'order' ? words.order : words
  const { state, wasLost } = movement
  const what = describe(movement)
  if (state === 'made') {
    const isPending = (movement.result as Partial<Transfer> | undefined)?.status === 'pending'
    const made = isPending ? words.onItsWay(what) : t.made(what)
    return { kind: 'good', text: wasLost ? t.madeOnce(what) : made }
  }
  if (state === 'refused') return { kind: 'bad', text: `${t.refused(what)} ${why(movement)}` }
  const isOver = isTooLate(movement, Date.now())
  return { kind: 'warning', text: isOver ? t.tooLate(what) : t.unknown(what) }
}

export function OpenMovements({ of: told }: { of: readonly Movement[] }) {
  const t = texts()
  return (
    <div class="open-movements">
      {told.map((movement) => {
        const { kind, text } = tell(movement)
        const page = outcomePage(movement)
        const isKnown = movement.state !== 'unknown' || isTooLate(movement, Date.now())
        return (
          <Notice key={movement.key} kind={kind}>
            <p>{text}</p>
            <div class="actions">
              {page && <ButtonLink href={page}>{t.movement.show}</ButtonLink>}
              {isKnown && (
                <Button onClick={() => forgetMovement(movement)}>{t.common.close}</Button>
              )}
            </div>
          </Notice>
        )
      })}
    </div>
  )
}
