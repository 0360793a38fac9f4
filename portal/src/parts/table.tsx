// A table with a caption. On a narrow screen each row is a block whose cells name their column.
import type { ComponentChildren, ComponentProps } from 'preact'
import { Money } from '../texts/money.tsx'

export type Column<R> = {
  name: string
  cell: (row: R) => ComponentChildren
  /** Right-aligned, with digits of equal width. */
  isNumber?: boolean
  /** Names the row for screen readers. One column of a table. */
  isRowHeader?: boolean
}

/** A column of amounts. */
export const moneyColumn = <R,>(
  name: string,
  pick: (row: R) => ComponentProps<typeof Money>,
): Column<R> => ({ name, isNumber: true, cell: (row) => <Money {...pick(row)} /> })

type Props<R> = {
  caption: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  keyOf: (row: R) => string
}

export const Table = <R,>({ caption, columns, rows, keyOf }: Props<R>) => (
  <div class="table">
    <table class="stacks">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, cell, isNumber, isRowHeader }) => {
              const of = { class: isNumber ? 'number' : undefined, 'data-label': name }
              return isRowHeader ? (
                <th key={name} scope="row" {...of}>
                  {cell(row)}
                </th>
              ) : (
                <td key={name} {...of}>
                  {cell(row)}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
