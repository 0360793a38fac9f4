// `strongroom rotate-keys`: signs access tokens with a new key. Tokens of earlier keys stay valid
// until they expire; with `--revoke` they are refused as soon as the command has ended.
import { addEvents, commandEvent } from '../audit/sql.ts'
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { rotateSigningKey } from '../gate/provision.ts'
import { withOwner } from './database.ts'

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
  const kid = await withOwner(config, (_, address) =>
    rotateSigningKey(address, now, {
      isRevoking: revoke,
      record: (tx, newKid) => addEvents(tx, [event(newKid)]),
    }),
  )
  say(
    revoke
      ? 'Every earlier signing key is revoked: no instance accepts its tokens any more.\n' +
          'Void: payment drafts that wait, if made or signed by such a token, and invitations to ' +
          'act on an account that are open, if sent or changed last by one.\n' +
          'Standing orders and ordered payment lists go on. The audit trail has who made them.\n'
      : 'Tokens of earlier signing keys stay valid until they expire.\n',
  )
  say(`Access tokens are now signed with key ${kid}.\n`)
}
