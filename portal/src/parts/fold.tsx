// What is folded away.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

type Props = { title: ComponentChildren; children: ComponentChildren }

/** A card that is folded until it is asked for; what it reads is read then. */
export function Fold({ title, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  )
}
