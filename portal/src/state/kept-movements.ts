// Movements of money whose outcome is open, in the storage that all tabs of the browser share. What
// is moved is sealed. Once the seal is destroyed, an entry tells only that something was sent.
import type { Movement } from './movement.ts'
import { destroySeal, seal, unseal } from './seal.ts'

const prefix = 'strongroom.open.'

/** After this long an entry is removed, on each page: the outcome can only be looked up. */
const keptMsMax = 7 * 24 * 60 * 60 * 1000

/** What is left of a movement that was open when its session ended: not what was moved. */
export type ForgottenMovement = Pick<Movement, 'key' | 'ownerId' | 'path' | 'sentAt'>

type Stored = Omit<Movement, 'body' | 'failure' | 'result'> & {
  /** Its body; left out: nothing opens it any more. */
  sealed?: string
}

/** The sealed bodies of this page's movements, by their keys. */
const sealedBodies = new Map<string, string>()

const write = (stored: Stored | ForgottenMovement): void =>
  localStorage.setItem(prefix + stored.key, JSON.stringify(stored))

/** The last one takes the seal's key with it. */
export function removeKept(key: string): void {
  localStorage.removeItem(prefix + key)
  sealedBodies.delete(key)
  if (keptKeys().length === 0) destroySeal()
}

export const isKept = (key: string): boolean => localStorage.getItem(prefix + key) !== null

/** The key of the movement of such an entry; undefined: the entry is something else. */
export const keyOfEntry = (entry: string | null): string | undefined =>
  entry?.startsWith(prefix) ? entry.slice(prefix.length) : undefined

/** The keys of all movements that are kept. */
export const keptKeys = (): string[] =>
  Object.keys(localStorage).flatMap((e) => keyOfEntry(e) ?? [])

/** To be called before the first `keep`, which then is done at once. */
export async function sealBody({ key, body }: Movement): Promise<void> {
  if (!sealedBodies.has(key)) sealedBodies.set(key, await seal(body))
}

/** Keeps a movement as it stands, if its body is sealed. */
export function keepMovement(movement: Movement): void {
  const { body: _, failure: __, result: ___, ...told } = movement
  const sealed = sealedBodies.get(told.key)
  if (sealed !== undefined) write({ ...told, sealed })
}

function parse(key: string): Stored | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(prefix + key) ?? '') as Stored
    if (Date.now() - (stored.sentAt as number) < keptMsMax) return stored
  } catch {
    // Something else wrote it.
  }
  removeKept(key)
  return undefined
}

const toForgotten = ({ key, ownerId, path, sentAt }: ForgottenMovement): ForgottenMovement => ({
  key,
  ownerId,
  path,
  ...(sentAt !== undefined && { sentAt }),
})

/** What is kept under a key: a movement, or what is left of one. */
export async function readKept(
  key: string,
): Promise<{ movement?: Movement; forgotten?: ForgottenMovement }> {
  const stored = parse(key)
  if (!stored) return {}
  const { sealed, ...told } = stored
  const body = sealed === undefined ? undefined : await unseal(sealed)
  if (sealed === undefined || body === undefined) return { forgotten: toForgotten(stored) }
  sealedBodies.set(key, sealed)
  return { movement: { ...told, body } }
}

/**
 * Destroys the seal: of these movements, and of all that are kept, it is left that they were sent.
 *
 * @returns what is left
 */
export function forgetKept(open: readonly ForgottenMovement[]): ForgottenMovement[] {
  destroySeal()
  sealedBodies.clear()
  const stored = keptKeys().flatMap((key) => parse(key) ?? [])
  const left = new Map([...stored, ...open].map((each) => [each.key, toForgotten(each)]))
  left.forEach(write)
  return [...left.values()]
}
