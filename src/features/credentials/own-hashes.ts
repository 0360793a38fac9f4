// What the sessions of a person may make the service hash. It counts in the window of failed logins
// of one name, under a key of the person that only these sessions reach. So failed logins by
// others fill no window of it, and all sessions of a person together get one quota.
import { invalid } from '../../domain/errors.ts'
import type { Context } from '../../http/route.ts'

type Asking = Pick<Context, 'caller' | 'chargeMore'>

/** Other keys of the window begin with another word: `name`, `device` or `challenge`. */
const keyOfOwn = (userId: string): string => `own ${userId}`

/**
 * Refuses a password that is not the caller's: `invalid_request` at `path`. Wrong ones count for
 * the address too, as failed logins do.
 *
 * @param stored the hash of the caller's password
 */
export async function requireOwnPassword(
  { caller, chargeMore, service }: Asking & Pick<Context, 'service'>,
  stored: string | null,
  { password, path }: { password: string; path: string },
): Promise<void> {
  const attempt = await chargeMore({ name: keyOfOwn(caller.userId) }, 'login')
  await attempt.judge(async () => {
    if (!(await service.passwords.verify(stored, password))) invalid(path, 'is not right')
  })
}

/**
 * A change that hashes before it is known to take effect. What is refused counts, also when it is
 * only not confirmed yet; what takes effect does not. It is no guess, so no address is charged.
 */
export async function hashingChange<R>(
  { caller, chargeMore }: Asking,
  change: () => Promise<R>,
): Promise<R> {
  const attempt = await chargeMore({ name: keyOfOwn(caller.userId), address: undefined }, 'login')
  return attempt.judge(change)
}
