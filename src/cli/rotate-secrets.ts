// `strongroom rotate-secrets`: replaces the symmetric keys that instances share. Each rotation ends
// something, and the command says what.
import { addEvents, commandEvent } from '../audit/sql.ts'
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { rotateSecrets, type SecretName } from '../gate/provision.ts'
import { withDatabase } from './database.ts'

/** What each rotation ends. */
const effects: Partial<Record<SecretName, string>> = {
  cursor: 'Cursors of open lists answer 400: clients begin those lists anew.',
  refresh:
    'A client that repeats a lost refresh from before the rotation is logged out. ' +
    'Other sessions and their refresh tokens stay good.',
  limit:
    'With a shared store, all windows begin empty: failed logins of before are not counted. ' +
    'Without one, nothing changes.',
}

const cardReason =
  'The secret card cannot be rotated: it hashes card numbers, which are not kept, so the hashes ' +
  'cannot be made anew. Cancel the cards and issue new ones instead.'

const rotatable = Object.keys(effects) as SecretName[]

/** @param names empty for all that can be rotated */
export async function rotateSecretsCommand(
  config: Config,
  say: (text: string) => void,
  names: readonly string[],
): Promise<void> {
  if (names.includes('card')) throw new Error(cardReason)
  const unknown = names.find((name) => !rotatable.includes(name as SecretName))
  if (unknown !== undefined) {
    throw new Error(`That is not a secret; the secrets are ${rotatable.join(', ')}.`)
  }
  const chosen = rotatable.filter((name) => names.length === 0 || names.includes(name))
  const event = commandEvent(systemClock().now(), {
    action: 'rotateSecrets',
    detail: chosen.join(', '),
  })
  await withDatabase(config, (address) =>
    rotateSecrets(address, chosen, { record: (tx) => addEvents(tx, [event]) }),
  )
  for (const name of chosen) say(`${name}: replaced. ${effects[name]}\n`)
  say('Running instances use the new ones within a second of their next request.\n')
}
