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
  callback: (thrown: Error | null | undefined) => void
  _canceledDueToError: unknown
  hasBeenParsed(connection: DriverConnection): boolean
  prepare(connection: DriverConnection): void
}
const Driver = pg.Query as unknown as new (text: string) => DriverQuery
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils

class Execution<T extends readonly ParameterType[], G extends Columns> extends Driver {
  readonly found: RowOf<G>[] = []
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
}

/** Executes the statement on the connection and returns its rows, or throws the driver's error. */
export const execute = <T extends readonly ParameterType[], G extends Columns>(
  client: pg.ClientBase,
  statement: Statement<T, G>,
  values: ValuesOf<T>,
): Promise<RowOf<G>[]> =>
  new Promise((resolve, reject) => {
    const execution = new Execution(statement, values)
    execution.callback = (thrown) => (thrown ? reject(thrown) : resolve(execution.found))
    client.query(execution)
  })
