// `strongroom rotate-secrets`: replaces the symmetric keys that instances share. The command says
// what each rotation ends.
import { addEvents, commandEvent } from '../audit/sql.ts'
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { StartupError } from '../domain/startup-error.ts'
import { rotateSecrets, type SecretName } from '../gate/provision.ts'
import { withOwner } from './database.ts'

/** What each rotation ends. */
const effects: Partial<Record<SecretName, string>> = {
  cursor: 'Cursors of open lists answer 400: clients start those lists again.',
  refresh:
    'A client that repeats a lost refresh from before the rotation is logged out. ' +
    'Other sessions and their refresh tokens stay valid.',
  limit:
    'With a shared store, all windows start empty: earlier failed logins are not counted. ' +
    'Without one, nothing changes.',
}

/** Why a secret cannot be rotated. */
const lasting: Partial<Record<string, string>> = {
  card:
    'The secret card cannot be rotated: it hashes card numbers, which are not stored, so the ' +
    'hashes cannot be computed again. Cancel the cards and issue new ones instead.',
  factors:
    'The secret factors cannot be rotated: it seals the secrets of one-time codes. ' +
    'Let people enrol new factors instead.',
}

const rotatable = Object.keys(effects) as SecretName[]

/** @param names the secrets to replace; empty: all of them */
export async function rotateSecretsCommand(
  config: Config,
  say: (text: string) => void,
  names: readonly string[],
): Promise<void> {
  const reason = names.map((name) => lasting[name]).find((text) => text !== undefined)
  if (reason !== undefined) throw new StartupError(reason)
  // What was typed is not printed: it may be the value of a secret.
  if (!names.every((name) => rotatable.includes(name as SecretName))) {
    throw new StartupError(`That is not a secret; the secrets are ${rotatable.join(', ')}.`)
  }
  const chosen = rotatable.filter((name) => names.length === 0 || names.includes(name))
  const event = commandEvent(systemClock().now(), {
    action: 'rotateSecrets',
    detail: chosen.join(', '),
  })
  await withOwner(config, (_, address) =>
    rotateSecrets(address, chosen, { record: (tx) => addEvents(tx, [event]) }),
  )
  for (const name of chosen) say(`${name}: replaced. ${effects[name]}\n`)
  say('Running instances use the new ones within a second of their next request.\n')
}
