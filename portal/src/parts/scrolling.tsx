import type { ComponentChildren } from 'preact'

/** A table that scrolls in a box of its own on the screen, and is whole on paper. */
export const Scrolling = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div class="scroll" role="region" aria-label={name} tabIndex={0}>
    {children}
  </div>
)
