// Executes a statement with the driver. The statement declares its columns, so the server need not
// describe them at each execution, and a row is made of its texts at once. The driver's own query
// makes an array of the texts, an array of values and an object without a prototype.
import pg from 'pg'
import type { Columns, ParameterType, RowOf, Statement, ValuesOf } from './statement.ts'
import { encode } from './values.ts'

/** Members of the driver that its types leave out. `values.test.ts` executes each of them. */
type DriverConnection = {
  bind(terms: { statement: string; values: readonly unknown[] }): void
  execute(): void
  sync(): void
}
type DriverQuery = pg.Query & {
  name: string
  values: readonly unknown[]
  callback: ((thrown: unknown) => void) | undefined
  readonly _result: { readonly command: string }
  _canceledDueToError: unknown
  hasBeenParsed(connection: DriverConnection): boolean
  prepare(connection: DriverConnection): void
}
const Driver = pg.Query as unknown as new (text: string) => DriverQuery
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils

/** One of the driver's, or a {@link Client}, which leaves the time-out to what is asked here. */
type Asking = pg.ClientBase & {
  readonly answerMsMax?: number
  readonly connection?: { readonly stream: { destroy(): void } }
}

/**
 * What the server answers once. Nothing of a request is given to the driver as a function that it
 * assigns to a member: V8 makes such a function in the old generation, where it kept the rows of
 * the answer until the next full collection.
 */
abstract class Question<R> extends Driver {
  private readonly ends = Promise.withResolvers<R>()
  private timer: NodeJS.Timeout | undefined

  protected abstract give(): R

  ask(client: Asking): Promise<R> {
    const { answerMsMax = 0 } = client
    if (answerMsMax > 0) this.timer = setTimeout(giveUp, answerMsMax, this, client)
    client.query(this)
    return this.ends.promise
  }

  handleReadyForQuery(): void {
    if (this._canceledDueToError) return this.handleError(this._canceledDueToError)
    this.stopWaiting(null)
    this.ends.resolve(this.give())
  }

  handleError(thrown: unknown): void {
    const first = this._canceledDueToError || thrown
    this.stopWaiting(first)
    this.ends.reject(first)
  }

  private stopWaiting(thrown: unknown): void {
    clearTimeout(this.timer)
    // A client of the driver's own has its own time-out.
    this.callback?.(thrown)
  }
}

/** A server that has fallen silent does not close its connection, whose next answers wait too. */
function giveUp(question: Pick<Question<never>, 'handleError'>, { connection }: Asking): void {
  question.handleError(new Error('The server did not answer in time.'))
  connection?.stream.destroy()
}

class Execution<T extends readonly ParameterType[], G extends Columns> extends Question<
  RowOf<G>[]
> {
  private readonly found: RowOf<G>[] = []
  private readonly toRow: Statement<T, G>['toRow']

  constructor({ text, name, takes, toRow }: Statement<T, G>, values: ValuesOf<T>) {
    super(text)
    this.name = name
    this.toRow = toRow
    // Not in `prepare`, which the driver may call while it reads the answer of another statement:
    // an error there would end the process.
    this.values = encode(takes, values).map((value) => prepareValue(value))
  }

  override prepare(connection: DriverConnection): void {
    if (!this.hasBeenParsed(connection)) return super.prepare(connection)
    connection.bind({ statement: this.name, values: this.values })
    connection.execute()
    connection.sync()
  }

  /** Arrives after the first execution only, and is not needed. */
  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this._canceledDueToError) return
    try {
      this.found.push(this.toRow(fields))
    } catch (thrown) {
      this._canceledDueToError = thrown
    }
  }

  protected give(): RowOf<G>[] {
    return this.found
  }
}

class Command extends Question<string> {
  protected give(): string {
    return this._result.command
  }
}

/** Executes the statement on the connection and returns its rows, or throws the driver's error. */
export const execute = <T extends readonly ParameterType[], G extends Columns>(
  client: pg.ClientBase,
  statement: Statement<T, G>,
  values: ValuesOf<T>,
): Promise<RowOf<G>[]> => new Execution(statement, values).ask(client)

/** Runs a statement without parameters or rows. Gives its command tag, such as `COMMIT`. */
export const runCommand = (client: pg.ClientBase, text: string): Promise<string> =>
  new Command(text).ask(client)
