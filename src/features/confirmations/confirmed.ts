// What every way of confirming a request leaves: the challenge as confirmed.
import { ChallengeId } from '../../domain/ids.ts'
import { named, Time } from '../../domain/schema.ts'
import { statement } from '../../database/statements/statement.ts'

export const Confirmed = named('Confirmation', { id: ChallengeId, expiresAt: Time })

export const writeConfirmed = statement(
  'confirmations_write_confirmed',
  ['uuid', 'timestamptz'],
  { id: 'uuid' },
  `update challenges set confirmed_at = $2
   where id = $1 and confirmed_at is null and used_at is null returning id`,
)
