// Movements of money of the person who is signed in. They go on while other screens are shown: a
// lost answer is looked for until the outcome is known, in this tab, in another one, and after all
// were closed.
import { cell } from '../state/cell.ts'
import { readDraft, storeDraft } from '../state/draft.ts'
import { Failure } from '../state/failure.ts'
import {
  type ForgottenMovement,
  forgetKept,
  isKept,
  keepMovement,
  keptKeys,
  keyOfEntry,
  readKept,
  removeKept,
  sealBody,
} from '../state/kept-movements.ts'
import { isOpen, isTooLate, repeatMsMax, takeStep } from '../state/movement.ts'
import type { Movement, MovementStep } from '../state/movement.ts'
import { send } from './call.ts'
import { me, sessionSignal } from './session.ts'
import { sendUntilKnown } from './submit.ts'

/** What is open is kept for all tabs of the browser; a review is the draft of one tab. */
export const movements = cell<readonly Movement[]>([])

/** What was sent in a session that has ended, and is not known any more. */
const forgotten = cell<readonly ForgottenMovement[]>([])

const find = (key: string): Movement | undefined =>
  movements.value.find((movement) => movement.key === key)

export const ownMovements = (): readonly Movement[] =>
  movements.value.filter(({ ownerId }) => ownerId === me.value?.id)

export const ownForgotten = (): readonly ForgottenMovement[] =>
  forgotten.value.filter(({ ownerId }) => ownerId === me.value?.id)

/** What a form has under way: what is open comes before any other. */
export function findMovement(name: string): Movement | undefined {
  const own = ownMovements().filter((movement) => movement.name === name)
  return own.find(isOpen) ?? own.at(-1) ?? (readDraft(name) as Movement | undefined)
}

function store(movement: Movement): void {
  const { failure: _, ...kept } = movement
  const { key, name, state } = kept
  const isReview = state === 'review' || (state === 'sending' && !isOpen(movement))
  if (isOpen(movement)) keepMovement(movement)
  else removeKept(key)
  // Another review of the same form is not this one's to forget.
  const draft = readDraft(name) as Movement | undefined
  if (isReview) storeDraft(name, { ...kept, state: 'review' })
  else if (draft?.key === key) storeDraft(name, undefined)
}

function put(movement: Movement): void {
  const others = movements.value.filter(({ key }) => key !== movement.key)
  movements.value = [...others, movement]
  store(movement)
}

function take(key: string, taken: MovementStep): void {
  const movement = find(key)
  if (movement) put(takeStep(movement, taken))
}

/** Forgets a movement that has no open outcome, or of which nothing can be found out any more. */
export function forgetMovement({ key, name }: Movement): void {
  movements.value = movements.value.filter((other) => other.key !== key)
  removeKept(key)
  storeDraft(name, undefined)
}

/** The person has read of it. */
export function dropForgotten({ key }: Pick<ForgottenMovement, 'key'>): void {
  forgotten.value = forgotten.value.filter((other) => other.key !== key)
  removeKept(key)
}

/** Begins a review with a key of its own. `saved`: the path of what was saved for it alone. */
export function openReview(name: string, path: string, body: unknown, saved?: string): void {
  const others = movements.value.filter((other) => other.name === name && !isOpen(other))
  others.forEach(forgetMovement)
  const key = crypto.randomUUID()
  put({
    key,
    ownerId: me.value?.id ?? '',
    name,
    path,
    body,
    ...(saved && { saved }),
    state: 'review',
  })
}

/** Sends a movement, or goes on looking for its outcome. */
export function sendMovement(movement: Movement): void {
  const page = location.pathname + location.search
  put(takeStep(movement, { what: 'send', at: Date.now(), page }))
  void settle(movement.key)
}

/** Goes on with what is open. */
export function resumeMovements(): void {
  for (const { key } of ownMovements().filter(isOpen)) void settle(key, true)
}

const lockPrefix = 'strongroom.open.'
const running = new Set<string>()

/**
 * One tab at a time looks for an outcome; the next one goes on where a closed tab stopped.
 *
 * @param isTakenUp another page sent it
 */
async function settle(key: string, isTakenUp = false): Promise<void> {
  if (running.has(key)) return
  running.add(key)
  const signal = sessionSignal()
  try {
    await navigator.locks.request(lockPrefix + key, { signal }, async () => {
      const movement = find(key)
      // The other page has told the outcome, and this one has told nothing.
      if (isTakenUp && movement?.state === 'sending' && !isKept(key)) {
        movements.value = movements.value.filter((other) => other !== movement)
      } else if (movement) {
        if (isTakenUp) take(key, { what: 'left' })
        await sealBody(movement)
        const sealed = find(key)
        if (!sealed) return
        store(sealed)
        await findOut(sealed, signal)
      }
    })
  } catch (thrown) {
    if (!signal.aborted) throw thrown
  } finally {
    running.delete(key)
    // The same person may be there again by now.
    if (signal.aborted && ownMovements().some((own) => own.key === key && isOpen(own))) {
      void settle(key, true)
    }
  }
}

/** Wherever the outcome is found out: what was typed and saved for it is of no use any more. */
function clearAfter({ name, saved }: Movement): void {
  storeDraft(name.replace('.review', ''), undefined)
  storeDraft(name.replace('.review', '.once'), undefined)
  if (saved) void send({ method: 'DELETE', path: saved }).catch(() => undefined)
}

async function findOut(movement: Movement, signal: AbortSignal): Promise<void> {
  const { key, path, body, state, isConfirmed = false, sentAt = Date.now() } = movement
  const sent = { method: 'POST', path, body, key, isRepeatable: true, isConfirmed } as const
  const repeats = { isOpen: state === 'unknown', repeatableUntil: sentAt + repeatMsMax }
  const onConfirming = async (isDone: boolean) => {
    if (!isDone) return take(key, { what: 'asked' })
    // What is asked for had no effect yet, so its seal went with it.
    await sealBody(movement)
    take(key, { what: 'confirmed', at: Date.now() })
  }
  try {
    if (isTooLate(movement, Date.now())) throw new Failure('outcome_unknown')
    const onLost = () => take(key, { what: 'lost' })
    const result = await sendUntilKnown({ ...sent, ...repeats, onConfirming }, onLost, signal)
    take(key, { what: 'made', result })
    clearAfter(movement)
  } catch (thrown) {
    // An answer that ended the session is an answer.
    if (thrown instanceof Failure) {
      take(key, { what: 'refused', failure: thrown })
      // What was typed is in the request that waits for a second person.
      if (thrown.code === 'approval_pending') clearAfter(movement)
    } else if (signal.aborted) take(key, { what: 'left' })
    else throw thrown
  }
}

/**
 * Forgets what is moved, and what each review and outcome tells. Of what is open it is left that
 * something was sent: a sign-out makes the browser empty its storage, so this is written after it.
 */
export function forgetMovements(): void {
  const open = movements.value.filter(isOpen)
  movements.value = []
  // Two causes may end a session: the storage may have been emptied between them.
  forgotten.value = forgetKept([...forgotten.value, ...open])
}

/** Takes up what other pages have left open. */
export async function takeKept(): Promise<void> {
  const found = await Promise.all(keptKeys().map(readKept))
  for (const { movement, forgotten: left } of found) {
    if (movement && !find(movement.key)) movements.value = [...movements.value, movement]
    if (left) forgotten.value = [...forgotten.value.filter(({ key }) => key !== left.key), left]
  }
}

/** The page that finds out what became of an open one; undefined: there is none. */
export const findOpenPage = (): string | undefined => ownMovements().find(isOpen)?.page

/** Movements of one person are neither shown nor left to the next. */
export function dropMovementsOfOthers(userId: string): void {
  movements.value.filter(({ ownerId }) => ownerId !== userId).forEach(forgetMovement)
  forgotten.value.filter(({ ownerId }) => ownerId !== userId).forEach(dropForgotten)
}

/** Another tab sent one, or lost its answer. */
async function hear(key: string): Promise<void> {
  const { movement } = await readKept(key)
  // A sign-out came meanwhile, or it is none of this person's.
  if (!movement || movement.ownerId !== me.value?.id) return
  const known = find(key)
  if (known && (running.has(key) || !isOpen(known))) {
    if (known.state === 'sending' && movement.state === 'unknown') take(key, { what: 'lost' })
    return
  }
  movements.value = [...movements.value.filter((other) => other !== known), movement]
  resumeMovements()
}
addEventListener('storage', ({ key: entry, newValue }) => {
  const key = keyOfEntry(entry)
  if (key !== undefined && newValue !== null) void hear(key)
})
