// The standing orders that still pay, where sessions, passwords, keys or programs are ended: none
// of these ends an order. Each is kept or ended here.
import { Section } from '../../parts/basic.tsx'
import { texts } from '../../texts/language.ts'
import { OrdersToEnd } from './orders-to-end.tsx'

type Props = {
  /** `ownerId=…` or `orderedBy=…` of the list for staff; empty: one's own. */
  filter: string
  /** What leads staff to other orders: the name of its text, and the page. */
  links?: readonly (readonly [name: 'allOf' | 'allBy' | 'allByProgram', page: string])[]
}

export function OpenOrders({ filter, links = [] }: Props) {
  const words = texts().openOrders
  const isOwn = filter === ''
  const path = `/orders?status=open&limit=100${isOwn ? '' : `&${filter}`}`
  return (
    <Section title={words.title}>
      <p class="quiet">{words.text}</p>
      <OrdersToEnd path={path} isOwn={isOwn} none={words.none} />
      {links.length > 0 && (
        <div class="actions">
          {links.map(([name, page]) => (
            <a key={name} href={page}>
              {words[name]}
            </a>
          ))}
        </div>
      )}
    </Section>
  )
}
