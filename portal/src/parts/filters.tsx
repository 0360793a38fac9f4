// Filters above a list. Those that are applied are in the query of the address, so the address is a
// link to what is shown.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { texts } from '../texts/language.ts'
import { forgetForBack, readQuery, setQuery } from '../state/router.ts'
import { Button, useElementId } from './basic.tsx'
import { Icon } from './icon.tsx'
import { useSending } from './sending.ts'

export type Filters<N extends string> = {
  /** Empty: no filter. */
  applied: Record<N, string>
  /** As the fields stand. */
  typed: Record<N, string>
  type: (change: Partial<Record<N, string>>) => void
  /** Applies what was typed, or other values. */
  apply: (values?: Partial<Record<N, string>>) => void
  /** The applied ones, `&role=admin&status=active`: behind a query of the API. */
  query: string
}

export function useFilters<N extends string>(names: readonly N[]): Filters<N> {
  const inAddress = readQuery()
  const applied = Object.fromEntries(names.map((name) => [name, inAddress.get(name) ?? '']))
  const [typed, setTyped] = useState(applied)
  const toQuery = (values: Record<string, string>) =>
    new URLSearchParams(
      names.flatMap((name) => {
        const value = (values[name] ?? '').trim()
        return value === '' ? [] : [[name, value]]
      }),
    )
  const query = toQuery(applied).toString()
  return {
    applied: applied as Record<N, string>,
    typed: typed as Record<N, string>,
    type: (change) => setTyped((last) => ({ ...last, ...(change as Record<string, string>) })),
    apply(values) {
      const next = { ...typed, ...(values as Record<string, string> | undefined) }
      setTyped(next)
      forgetForBack()
      setQuery(toQuery(next))
    },
    query: query && `&${query}`,
  }
}

type FormProps<N extends string> = {
  of: Filters<N>
  /** Instead of applying what was typed. */
  onApply?: () => void
  /** The field that is always shown; the others are folded until they are asked for. */
  search?: ComponentChildren
  /** What is wrong is shown. */
  isUnfolded?: boolean
  children: ComponentChildren
}

export function FilterForm<N extends string>({
  of: filters,
  onApply,
  search,
  isUnfolded = false,
  children,
}: FormProps<N>) {
  const t = texts().common
  const id = useElementId()
  const [isOpen, setOpen] = useState(false)
  const isShown = isOpen || isUnfolded
  const onSend = useSending(() => (onApply ? onApply() : filters.apply()))
  const applied = Object.values(filters.applied).filter((value) => value !== '').length
  const none = Object.fromEntries(Object.keys(filters.typed).map((name) => [name, '']))
  return (
    <form class="find no-print" role="search" novalidate onSubmit={onSend}>
      {search}
      <button
        type="button"
        class="button"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setOpen(!isShown)}
      >
        <Icon name="filter" />
        <span class={search ? 'word' : undefined}>{applied > 0 ? `${t.filter} · ` : t.filter}</span>
        {applied > 0 && applied}
      </button>
      {filters.query && (
        <Button kind="link" onClick={() => filters.apply(none as Partial<Record<N, string>>)}>
          {t.clearFilters}
        </Button>
      )}
      <div class="filters" id={id} hidden={!isShown}>
        {children}
        <div class="actions">
          <Button type="submit">{t.applyFilters}</Button>
        </div>
      </div>
    </form>
  )
}
