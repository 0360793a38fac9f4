// One connection of the service, which refuses a server that is not the primary.
import pg from 'pg'
import { LoggedError } from '../../domain/logged-error.ts'

export type ClientOptions = pg.ClientConfig & {
  /** A standby is refused. What it shows may be older than what the service has answered. */
  needsPrimary?: boolean
}

/** A standby answered where the primary is needed. */
export class NotPrimary extends LoggedError {
  override readonly name = 'NotPrimary'
}

export class Client extends pg.Client {
  /**
   * How long what is asked waits for its answer, in milliseconds; 0: for ever. The driver's own
   * time-out is not used: see `query.ts`.
   */
  readonly answerMsMax: number

  constructor({ needsPrimary = false, query_timeout: answerMsMax = 0, ...options }: ClientOptions) {
    super(options)
    this.answerMsMax = answerMsMax
    if (!needsPrimary) return
    const { connection } = this
    // PostgreSQL reports it before the connection is ready for a statement, since version 14.
    connection.on(
      'parameterStatus',
      (status: { parameterName: string; parameterValue: string }) => {
        if (status.parameterName !== 'in_hot_standby' || status.parameterValue !== 'on') return
        // It may have arrived already, and would make the connection one that is used.
        connection.removeAllListeners('readyForQuery')
        connection.stream.destroy(new NotPrimary('The server is a standby.'))
      },
    )
  }
}
