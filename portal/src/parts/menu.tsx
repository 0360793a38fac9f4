// What is rarely done, behind a button: links and buttons that are shown when it is pressed.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { colon, texts } from '../texts/language.ts'
import { Icon } from './icon.tsx'

type Props = {
  /** What it is about, where there is more than one: `More: Grace Hopper`. */
  of?: string
  /** Also shown below the icon. */
  hasWord?: boolean
  children: ComponentChildren
}

/** What is left free beside it. */
const edgePx = 8

/** Closes with a choice, with Escape, and when something else is pressed or focused. */
export function Menu({ of, hasWord = false, children }: Props) {
  const label = [texts().nav.more, of].filter((part) => part).join(colon())
  const [isOpen, setOpen] = useState(false)
  const whole = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const choices = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const onPointer = ({ target }: Event) => {
      if (!whole.current?.contains(target as Node)) setOpen(false)
    }
    addEventListener('pointerdown', onPointer)
    return () => removeEventListener('pointerdown', onPointer)
  }, [isOpen])
  // It stays inside the window, wherever its button stands.
  useLayoutEffect(() => {
    const panel = choices.current
    if (!panel || hasWord) return
    const { left } = panel.getBoundingClientRect()
    if (left < edgePx) panel.style.translate = `${edgePx - left}px`
    panel.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [isOpen])
  const focus = () => button.current?.focus()
  function close(): void {
    focus()
    setOpen(false)
  }
  return (
    <div
      class="menu"
      ref={whole}
      onKeyDown={({ key }) => key === 'Escape' && isOpen && close()}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget && !whole.current?.contains(relatedTarget as Node)) setOpen(false)
      }}
    >
      <button
        type="button"
        class="button"
        ref={button}
        aria-expanded={isOpen}
        aria-label={hasWord ? undefined : label}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
        {hasWord && label}
      </button>
      {/* What is chosen is gone when the dialog that it opens gives the focus back. */}
      {isOpen && (
        <div ref={choices} onClickCapture={focus} onClick={close}>
          {children}
        </div>
      )}
    </div>
  )
}
