// What handlers are given besides their request: the parts of one running service. Types only, so
// that a floor may name what stands above it without importing it.
import type { Trail } from '../audit/writer.ts'
import type { Passwords } from '../features/auth/passwords.ts'
import type { Clock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import type { Cursors } from './pagination.ts'
import type { Clocks } from '../database/clocks.ts'
import type { Sessions } from '../gate/sessions.ts'
import type { Tokens } from '../gate/token.ts'
import type { Ledger } from '../ledger/batch.ts'
import type { Outbox } from '../features/mail/outbox.ts'

export type Service = {
  config: Config
  clock: Clock
  clocks: Clocks
  tokens: Tokens
  sessions: Sessions
  passwords: Passwords
  cursors: Cursors
  ledger: Ledger
  outbox: Outbox
  audit: Trail
}
