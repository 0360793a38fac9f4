// What an answer may tell whom: no secrets, nothing of what was typed in an error, and to a
// customer nothing that is another customer's.
import { people } from '../support/world.ts'
import { canary, canarySignature } from './canary.ts'
import type { Heard } from './judge.ts'
import type { Pool } from './pool.ts'

export const findLeaks = (pool: Pool, heard: Heard): string[] => [
  ...secretsIn(pool, heard),
  ...echoIn(heard),
  ...foreignIn(pool, heard),
]

/** Routes whose answer is a pair of tokens. */
const givesTokens = /\/auth\/(login|login\/second-factor|refresh)$/

/** A cursor may hold its first four letters by chance. */
const key = /srk_[0-9A-Za-z]{36}/

/** Routes that show a new key. */
const givesKeys = /\/(service-accounts|keys)$/

/** Routes that show the secret of a webhook. */
const givesSecrets = /\/webhooks(\/:webhookId\/secret)?$/

function secretsIn({ secrets }: Pool, { text, route, answer, draft }: Heard): string[] {
  const wrong: string[] = []
  if (/argon2|\bkine\b|canary horse/.test(text)) wrong.push('a password or its hash')
  if (givesTokens.test(route?.path ?? '') && answer.status === 200) return wrong
  if (key.test(text) && !(answer.status === 201 && givesKeys.test(route?.path ?? ''))) {
    wrong.push('a key of a service account')
  }
  const isSecretShown = draft.method === 'POST' && givesSecrets.test(route?.path ?? '')
  if (text.includes('whsec_') && !isSecretShown) wrong.push('a secret of a webhook')
  if (/\bey[\w-]{8,}\.[\w-]+\./.test(text)) wrong.push('a token')
  for (const [run] of text.matchAll(/[\w-]{43,}/g)) if (secrets.has(run)) wrong.push('a secret')
  return wrong
}

/** An error names the place of what is wrong, and repeats nothing of it. */
function echoIn({ body, answer: { status, headers } }: Heard): string[] {
  if (JSON.stringify(headers).toLowerCase().includes(canary))
    return ['a header repeats what was sent']
  if (status < 400) return []
  const { details = [], ...error } = (body ?? {}) as { details?: { message: string }[] }
  const said = JSON.stringify([error, details.map(({ message }) => message)]).toLowerCase()
  return said.includes(canary) ? ['an error repeats what was sent'] : []
}

const anyId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Where the other side of a movement is shown by name and IBAN. */
const history = /\/(transactions|statement)(\/|$)/

function foreignIn(pool: Pool, { draft, answer, sent, text, route }: Heard): string[] {
  const { caller } = draft
  const seenAs = caller === pool.programs.adas ? 'ada' : caller.name
  if (seenAs !== 'ada' && seenAs !== 'ben') return []
  const wrong: string[] = []
  const isForeign = (id: string) => (pool.ownerOf.get(id) ?? caller.userId) !== caller.userId
  if (answer.status < 300 && route?.access !== 'public') {
    // A GET does not look at a body.
    const read = route?.method === 'GET' ? '' : (sent.payload?.toString() ?? '')
    const named = `${sent.target} ${read}`.match(anyId) ?? []
    if (named.some(isForeign)) wrong.push("it served what is another's")
  }
  if ((text.match(anyId) ?? []).some(isForeign)) wrong.push("an identifier of another's")
  const other = seenAs === 'ada' ? 'ben' : 'ada'
  if (canarySignature(other).test(text)) wrong.push("a text of another's")
  if (history.test(route?.path ?? '')) return wrong
  if (text.includes(people[other].familyName)) wrong.push("another's name")
  for (const [iban] of text.matchAll(/\bDE\d{20}\b/g)) {
    if (isForeign(pool.ibans.get(iban) ?? '')) wrong.push("another's IBAN")
  }
  return wrong
}
