// `strongroom rotate-secrets`: replaces the symmetric keys that instances share. The command says
// what each rotation ends.
import { addEvents, commandEvent } from '../audit/sql.ts'
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { StartupError } from '../domain/startup-error.ts'
import { rotateSecrets, type SecretName } from '../gate/provision.ts'
import { withOwner } from './database.ts'

/** What the rotation of each ends, or why it cannot be rotated. */
const secrets = {
  card: {
    lasting:
      'The secret card cannot be rotated: it hashes card numbers, which are not stored, so the ' +
      'hashes cannot be computed again. Cancel the cards and issue new ones instead.',
  },
  cursor: { ends: 'Cursors of open lists answer 400: clients start those lists again.' },
  factors: {
    lasting:
      'The secret factors cannot be rotated: it seals the secrets of one-time codes. ' +
      'Let people enrol new factors instead.',
  },
  refresh: {
    ends:
      'A client that repeats a lost refresh from before the rotation is logged out. ' +
      'Other sessions and their refresh tokens stay valid.',
  },
  limit: {
    ends:
      'With a shared store, all windows start empty: earlier failed logins are not counted. ' +
      'Without one, nothing changes.',
  },
} as const satisfies Record<SecretName, { ends: string } | { lasting: string }>

const entries = Object.entries(secrets) as [SecretName, { ends?: string; lasting?: string }][]
const rotatable = entries.filter(([, { ends }]) => ends !== undefined)

/** @param names the secrets to replace; empty: all of them */
export async function rotateSecretsCommand(
  config: Config,
  say: (text: string) => void,
  names: readonly string[],
): Promise<void> {
  const lasting = entries.find(([name, { lasting: reason }]) => reason && names.includes(name))
  if (lasting) throw new StartupError(lasting[1].lasting)
  // What was typed is not printed: it may be the value of a secret.
  const known = rotatable.map(([name]) => name)
  if (!names.every((name) => known.some((each) => each === name))) {
    throw new StartupError(`That is not a secret; the secrets are ${known.join(', ')}.`)
  }
  const chosen = rotatable.filter(([name]) => names.length === 0 || names.includes(name))
  const chosenNames = chosen.map(([name]) => name)
  const event = commandEvent(systemClock().now(), {
    action: 'rotateSecrets',
    detail: chosenNames.join(', '),
  })
  await withOwner(config, (_, address) =>
    rotateSecrets(address, chosenNames, { record: (tx) => addEvents(tx, [event]) }),
  )
  for (const [name, { ends }] of chosen) say(`${name}: replaced. ${ends}\n`)
  say('Running instances use the new ones within a second of their next request.\n')
}
