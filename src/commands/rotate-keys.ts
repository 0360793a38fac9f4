// `strongroom rotate-keys`: a new key signs access tokens. Those of earlier keys stay good until
// they expire or, with `--revoke`, are refused from the moment the command has answered.
import { addEvents } from '../audit/sql.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { rotateSigningKey } from '../database/provision.ts'
import { commandEvent } from './command-event.ts'
import { withDatabase } from './database.ts'

export async function rotateKeys(
  config: Config,
  { revoke = false }: { revoke?: boolean },
  say: (text: string) => void,
): Promise<void> {
  const now = systemClock().now()
  const event = commandEvent('rotateKeys', now, revoke ? 'earlier keys revoked' : null)
  const kid = await withDatabase(config, (address) =>
    rotateSigningKey(address, now, {
      isRevoking: revoke,
      record: (tx) => addEvents(tx, [event]),
    }),
  )
  say(
    revoke
      ? `Every earlier signing key is revoked: no instance accepts its tokens any more.\n`
      : `Tokens of earlier signing keys stay good until they expire.\n`,
  )
  say(`Access tokens are now signed with key ${kid}.\n`)
}
