// Movements of money whose outcome is open, or was found out while another screen was shown: told
// on every screen until it is known and read.
import { Button, ButtonLink, Notice } from '../parts/basic.tsx'
import { dropForgotten, forgetMovement } from '../calls/movements.ts'
import type { ForgottenMovement } from '../state/kept-movements.ts'
import { isTooLate, type Movement } from '../state/movement.ts'
import { approvalPage, to } from '../state/paths.ts'
import type { Transfer } from '../state/types.ts'
import { explainFailure } from '../texts/explain.ts'
import { colon, texts } from '../texts/language.ts'
import { formatMoney } from '../texts/money.tsx'
import { formatTime } from '../texts/time.tsx'

type Kind = keyof ReturnType<typeof texts>['movement']['kinds']

/** What moves, by where it is posted. */
const kindOf = ({ path }: Pick<Movement, 'path'>): Kind =>
  (['deposit', 'withdrawal', 'reversal', 'posting', 'order'] as const).find((kind) =>
    path.includes(kind),
  ) ?? 'payment'

/** A customer's movement: staff move money by other paths. */
const isOwn = ({ path }: Pick<Movement, 'path'>): boolean => path === '/transfers'

function describe(movement: Movement): string {
  const { amount, currency } = movement.body as { amount?: string; currency?: string }
  const money = amount && currency ? formatMoney(amount, currency) : ''
  return texts().movement.kinds[kindOf(movement)](money)
}

function outcomePage(movement: Movement): string | undefined {
  const { result, page, failure } = movement as Movement<
    unknown,
    { id: string; accountId?: string }
  >
  if (failure?.code === 'approval_pending') return approvalPage(failure.location)
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
  return failure ? explainFailure(failure) : ''
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
  if (movement.failure?.code === 'approval_pending') {
    return { kind: 'warning', text: `${what}${colon()}${why(movement)}` }
  }
  if (state === 'refused') return { kind: 'bad', text: `${t.refused(what)} ${why(movement)}` }
  const isOver = isTooLate(movement, Date.now())
  return { kind: 'warning', text: isOver ? t.tooLate(what) : t.unknown(what) }
}

/** Where a person looks for what was forgotten: where it would be, if it was made. */
function whereToLook(forgotten: ForgottenMovement): string | undefined {
  const [collection, ...ids] = forgotten.path.replace('/admin', '').split('/').slice(1)
  const [id = ''] = ids
  if (isOwn(forgotten)) return to('home')
  if (collection === 'transfers') return to('staffTransfer', { transferId: id })
  if (collection !== 'accounts') return undefined
  return kindOf(forgotten) === 'order'
    ? `${to('orders')}?account=${id}`
    : to('staffAccount', { accountId: id })
}

type NoticeProps = {
  kind: 'good' | 'warning' | 'bad'
  text: string
  page: string | undefined
  /** Undefined: it is not to be closed yet. */
  onClose: (() => void) | undefined
}

function MovementNotice({ kind, text, page, onClose }: NoticeProps) {
  const t = texts()
  return (
    <Notice kind={kind}>
      <p>{text}</p>
      <div class="actions">
        {page && <ButtonLink href={page}>{t.movement.show}</ButtonLink>}
        {onClose && <Button onClick={onClose}>{t.common.close}</Button>}
      </div>
    </Notice>
  )
}

type Props = { of: readonly Movement[]; forgotten: readonly ForgottenMovement[] }

export function OpenMovements({ of: told, forgotten }: Props) {
  const t = texts().movement
  return (
    <div class="open-movements">
      {forgotten.map((one) => (
        <MovementNotice
          key={one.key}
          kind="warning"
          text={t.forgotten(formatTime(new Date(one.sentAt ?? 0).toISOString()))}
          page={whereToLook(one)}
          onClose={() => dropForgotten(one)}
        />
      ))}
      {told.map((movement) => {
        const isKnown = movement.state !== 'unknown' || isTooLate(movement, Date.now())
        return (
          <MovementNotice
            key={movement.key}
            {...tell(movement)}
            page={outcomePage(movement)}
            onClose={isKnown ? () => forgetMovement(movement) : undefined}
          />
        )
      })}
    </div>
  )
}
