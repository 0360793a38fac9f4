// COMMIT, and what its answer says about synchronous standbys.
import type pg from 'pg'
import { toPostgres, runTraced } from '../../domain/trace.ts'
import { isRefusedCommit, successfulCompletion } from './failure.ts'
import { runCommand } from '../statements/query.ts'

/** The server has committed, and said that no standby may have the transaction. */
export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed'
}

/** An answer to COMMIT that is not there by then waits for a standby or a disk. */
const commitMsMax = 1000

/**
 * Runs COMMIT and gives its command tag. A server that stops to wait for a synchronous standby,
 * because it was told to, answers with the tag as always and a warning before it. What is committed
 * there is lost when the standby takes over.
 *
 * @param onDoubt called when the COMMIT was not confirmed, and the next ones will not be either
 */
export const commit = (client: pg.ClientBase, onDoubt = () => {}): Promise<string> =>
  runTraced('commit', () => confirm(client, onDoubt), toPostgres)

async function confirm(client: pg.ClientBase, onDoubt: () => void): Promise<string> {
  const warnings: Error[] = []
  const note = ({ code, message }: { code: string | undefined; message: string | undefined }) => {
    if (code !== successfulCompletion) warnings.push(new NotConfirmed(message))
  }
  client.on('notice', note)
  const sentAt = performance.now()
  try {
    const tag = await runCommand(client, 'commit')
    if (warnings[0] && tag === 'COMMIT') throw warnings[0]
    return tag
  } catch (thrown) {
    const isLate = performance.now() - sentAt > commitMsMax && !isRefusedCommit(thrown)
    if (isLate || thrown instanceof NotConfirmed) onDoubt()
    throw thrown
  } finally {
    client.off('notice', note)
  }
}
