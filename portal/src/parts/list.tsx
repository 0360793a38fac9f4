// Lists that are read page by page.
import type { ComponentChildren } from 'preact'
import { texts } from '../texts/language.ts'
import { Button, Empty, Loaded, type Loadable } from './basic.tsx'

type Continued = { isLoading: boolean; more: (() => void) | undefined }

export const More = ({ of: pages }: { of: Continued }) =>
  pages.more ? (
    <p class="more">
      <Button isBusy={pages.isLoading} onClick={pages.more}>
        {texts().common.more}
      </Button>
    </p>
  ) : null

type Props<I> = {
  of: Loadable<I[]> & Continued
  /** What to say when there is nothing. */
  none: string
  /** The lines of the skeleton. */
  lines?: number
  children: (items: I[]) => ComponentChildren
}

/** Shows the items that were read, and a button for more of them. */
export const Listed = <I,>({ of: pages, none, lines = 3, children }: Props<I>) => (
  <>
    <Loaded of={pages} lines={lines}>
      {(items) => (items.length === 0 ? <Empty>{none}</Empty> : children(items))}
    </Loaded>
    <More of={pages} />
  </>
)

/** Each item as a row. */
export const Rows = <I extends { id: string }>({
  of: items,
  children,
}: {
  of: readonly I[]
  children: (item: I, before: I | undefined) => ComponentChildren
}) => (
  <ul class="rows">
    {items.map((item, at) => (
      <li key={item.id}>{children(item, items[at - 1])}</li>
    ))}
  </ul>
)
