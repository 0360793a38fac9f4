// A key or secret that the API shows once. It is in the memory of this screen alone: no storage, no
// address and no draft has it, and it is gone when the screen is left.
import { useEffect, useRef } from 'preact/hooks'
import { Button, Copyable, Notice, Section } from '../../parts/basic.tsx'
import { texts } from '../../texts/language.ts'

type Props = {
  title: string
  name: string
  secret: string
  /** What it is for. */
  text: string
  onClose: () => void
}

export function ShownOnce({ title, name, secret, text, onClose }: Props) {
  const t = texts().programs
  const whole = useRef<HTMLDivElement>(null)
  useEffect(() => whole.current?.focus(), [])
  return (
    <div class="once" tabIndex={-1} ref={whole}>
      <Section title={title}>
        <Notice kind="warning" role="alert">
          {t.once}
        </Notice>
        <p>{text}</p>
        <p>
          <Copyable text={secret} name={name} />
        </p>
        <div class="actions">
          <Button kind="primary" onClick={onClose}>
            {t.haveIt}
          </Button>
        </div>
      </Section>
    </div>
  )
}
