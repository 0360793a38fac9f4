// One connection of the service, which refuses a server that is not the primary.
import pg from 'pg'
import { LoggedError } from '../domain/logged-error.ts'

export type ClientOptions = pg.ClientConfig & {
  /** A standby is refused. What it shows may be older than what the service has answered. */
  needsPrimary?: boolean
}

export class Client extends pg.Client {
  constructor({ needsPrimary = false, ...options }: ClientOptions) {
    super(options)
    if (!needsPrimary) return
    const { connection } = this
    // PostgreSQL reports it before the connection is ready for a statement, since version 14.
    connection.on(
      'parameterStatus',
      (status: { parameterName: string; parameterValue: string }) => {
        if (status.parameterName !== 'in_hot_standby' || status.parameterValue !== 'on') return
        // It may have arrived already, and would make the connection one that is used.
        connection.removeAllListeners('readyForQuery')
        connection.stream.destroy(new LoggedError('The server is a standby.'))
      },
    )
  }
}
