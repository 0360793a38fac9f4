// A row of a list, two lines high also on a phone: a mark, a name over a note, and what stands at
// its end. A link in its name makes all of the row lead there.
import type { ComponentChildren } from 'preact'

type Props = {
  mark?: ComponentChildren
  name: ComponentChildren
  note?: ComponentChildren
  end?: ComponentChildren
  endNote?: ComponentChildren
}

export const Row = ({ mark, name, note, end, endNote }: Props) => (
  <div class="row">
    <span class="dot" aria-hidden="true">
      {mark}
    </span>
    <div>
      <span class="name">{name}</span>
      <span class="note">{note}</span>
    </div>
    <div class="end">
      {end}
      {endNote && <span class="note">{endNote}</span>}
    </div>
  </div>
)

/** `Grace Hopper` → `GH`: the first letters of the first word and of the last. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  return ends
    .map((word) => [...(word as string)][0])
    .join('')
    .toUpperCase()
}
