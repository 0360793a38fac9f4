// The person whom staff name by a user name.
import { send } from '../../../calls/call.ts'
import { Failure } from '../../../state/failure.ts'
import type { List, User } from '../../../state/types.ts'
import { isId } from '../../../texts/is-id.ts'

/** The identifier that was typed, or that of the person so named; undefined: there is none. */
export async function findPerson(typed: string): Promise<string | undefined> {
  const named = typed.trim()
  if (named === '' || isId(named)) return named
  const path = `/admin/users?username=${encodeURIComponent(named)}`
  try {
    const { items } = await send<List<User>>({ method: 'GET', path })
    return items[0]?.id
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === 'invalid_request') return undefined
    throw thrown
  }
}
