// Dialogs: of any content, one that only shows, and one that asks.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { texts } from '../texts/language.ts'
import { Button, useElementId } from './basic.tsx'

type DialogProps = {
  title: string
  onClose: () => void
  isUrgent?: boolean
  children: ComponentChildren
}

/**
 * A modal dialog of the browser's own: it keeps the focus. Escape asks to close it, and it stays
 * until it is taken away.
 */
export function Dialog({ title, onClose, isUrgent = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useElementId()
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    dialog.current?.showModal()
    // Nothing else can be focused before the dialog is gone.
    return () => queueMicrotask(() => before?.focus())
  }, [])
  return (
    <dialog
      ref={dialog}
      role={isUrgent ? 'alertdialog' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={onClose}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  )
}

/** Shows something; all that can be done is to close it. */
export const Details = ({ children, ...dialog }: DialogProps) => (
  <Dialog {...dialog}>
    {children}
    <div class="actions">
      <Button kind="primary" onClick={dialog.onClose}>
        {texts().common.close}
      </Button>
    </div>
  </Dialog>
)

type QuestionProps = DialogProps & {
  /** What the button says that does it. */
  confirm: string
  kind?: 'primary' | 'danger'
  isBusy?: boolean
  onConfirm: () => void
  /** What the button says that does nothing; cancel by default. */
  keep?: string
}

/** Asks before something is done. */
export const Question = ({
  confirm,
  kind = 'danger',
  isBusy = false,
  onConfirm,
  keep = texts().common.cancel,
  children,
  ...dialog
}: QuestionProps) => (
  <Dialog {...dialog}>
    {children}
    <div class="actions">
      <Button kind={kind} isBusy={isBusy} onClick={onConfirm}>
        {confirm}
      </Button>
      <Button onClick={dialog.onClose}>{keep}</Button>
    </div>
  </Dialog>
)
