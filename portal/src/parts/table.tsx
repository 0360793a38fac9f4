// A table with a caption. On a phone each row becomes two lines: its name, and what stands at its
// end; below them the other cells, where numbers name their column.
import type { ComponentChildren, ComponentProps } from 'preact'
import { Money } from '../texts/money.tsx'

export type Column<R> = {
  name: string
  cell: (row: R) => ComponentChildren
  /** Right-aligned, with digits of equal width. */
  isNumber?: boolean
  /** Names the row for screen readers. One column of a table. */
  isRowHeader?: boolean
  /**
   * On a phone: in the first line, before the name or at the end; `to`: behind an arrow; `desk`:
   * not shown there, because the page of the row has it.
   */
  place?: 'lead' | 'end' | 'to' | 'desk'
}

/** A column of amounts. */
export const moneyColumn = <R,>(
  name: string,
  pick: (row: R) => ComponentProps<typeof Money>,
  place?: Column<R>['place'],
): Column<R> => ({
  name,
  isNumber: true,
  cell: (row) => <Money {...pick(row)} />,
  ...(place && { place }),
})

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
            {columns.map(({ name, cell, isNumber, isRowHeader, place = '' }) => {
              const of = {
                class: `${isNumber ? 'number' : ''} ${place}`.trim() || undefined,
                'data-label': name,
              }
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
