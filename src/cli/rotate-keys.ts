// `strongroom rotate-keys`: a new key signs access tokens. Those of earlier keys stay good until
// they expire or, with `--revoke`, are refused from the moment the command has answered.
import { addEvents, commandEvent } from '../audit/sql.ts'
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { rotateSigningKey } from '../gate/provision.ts'
import { withDatabase } from './database.ts'

export async function rotateKeys(
  config: Config,
  say: (text: string) => void,
  { revoke = false }: { revoke?: boolean },
): Promise<void> {
  const now = systemClock().now()
  const event = (kid: string) => {
    const detail = revoke ? `${kid}; earlier keys revoked` : kid
    return commandEvent(now, { action: 'rotateKeys', detail })
  }
  const kid = await withDatabase(config, (address) =>
    rotateSigningKey(address, now, {
      isRevoking: revoke,
      record: (tx, made) => addEvents(tx, [event(made)]),
    }),
  )
  say(
    revoke
      ? `Every earlier signing key is revoked: no instance accepts its tokens any more.\n`
      : `Tokens of earlier signing keys stay good until they expire.\n`,
  )
  say(`Access tokens are now signed with key ${kid}.\n`)
}
