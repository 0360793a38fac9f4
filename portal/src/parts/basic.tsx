// Small parts of every screen.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { bankName } from '../state/bank.ts'
import type { Failure } from '../state/failure.ts'
import { explainFailure } from '../texts/explain.ts'
import { texts } from '../texts/language.ts'

type Children = { children?: ComponentChildren }

let idCount = 0
/**
 * An id that no other element has. Preact's own `useId` gave one to a field of a screen and to a
 * field of the dialog over it: a label then named the wrong one.
 */
export const useElementId = (): string => useState(() => `element-${++idCount}`)[0]

type Titled = Children & { title: string; actions?: ComponentChildren }

type ScreenProps = Titled & {
  /** Shown with the heading, on a card of both: what people come for first. */
  lead?: ComponentChildren
  /** In one line with the heading. */
  aside?: ComponentChildren
}

/** The frame of a screen: its one heading, which is focused when the screen is shown. */
export function Screen({ title, lead, aside, actions, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – ${bankName}`
  }, [title])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <>
      {/* The heading stays the same element when its card comes: it keeps the focus. */}
      <div class={lead ? 'card head' : 'heading'}>
        <div>
          <div class="beside">
            <h1 tabIndex={-1} ref={heading} dir="auto">
              {title}
            </h1>
            {aside}
          </div>
          {lead}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  )
}

export const Section = ({ title, actions, children }: Titled) => (
  <section class="card">
    <div class="heading">
      <h2>{title}</h2>
      {actions && <div class="actions">{actions}</div>}
    </div>
    {children}
  </section>
)

type ButtonProps = Children & {
  kind?: 'primary' | 'plain' | 'danger' | 'link'
  type?: 'button' | 'submit'
  isBusy?: boolean
  disabled?: boolean
  label?: string
  onClick?: () => void
}

/** While busy it keeps its focus and does nothing. */
export const Button = ({
  kind = 'plain',
  type = 'button',
  isBusy = false,
  disabled = false,
  label,
  onClick,
  children,
}: ButtonProps) => (
  <button
    type={type}
    class={`button ${kind}`}
    disabled={disabled}
    aria-disabled={isBusy}
    aria-label={label}
    onClick={(event) => {
      if (isBusy) event.preventDefault()
      else onClick?.()
    }}
  >
    {children}
  </button>
)

export const ButtonLink = ({
  href,
  kind = 'plain',
  children,
}: Children & { href: string; kind?: 'primary' | 'plain' }) => (
  <a class={`button ${kind}`} href={href}>
    {children}
  </a>
)

/** `role`: `status` is read aloud when there is time, `alert` at once. */
export const Notice = ({
  kind = 'info',
  role = 'status',
  children,
}: Children & { kind?: 'info' | 'good' | 'warning' | 'bad'; role?: 'status' | 'alert' }) => (
  <div class={`notice ${kind}`} role={role}>
    {children}
  </div>
)

/** Counts whole seconds down to zero. */
function useCountdown(seconds: number | undefined): number {
  const [left, setLeft] = useState(seconds ?? 0)
  useEffect(() => {
    if (!seconds) return setLeft(0)
    const end = performance.now() + seconds * 1000
    const show = () => {
      const now = Math.max(0, Math.ceil((end - performance.now()) / 1000))
      setLeft(now)
      if (now === 0) clearInterval(timer)
    }
    const timer = setInterval(show, 250)
    setLeft(seconds)
    return () => clearInterval(timer)
  }, [seconds])
  return left
}

/** What went wrong, as a sentence, with the wait of a 429 or 503 counted down. */
export function FailureNotice({ failure, again }: { failure: Failure; again?: () => void }) {
  const t = texts()
  const left = useCountdown(failure.waitSeconds)
  return (
    <Notice kind={failure.code === 'approval_pending' ? 'warning' : 'bad'} role="alert">
      <p>{explainFailure(failure)}</p>
      {left > 0 && (
        <p aria-live="off" class="quiet">
          {t.common.tryIn(left)}
        </p>
      )}
      {again && left === 0 && <Button onClick={again}>{t.common.again}</Button>}
      {/* Of what the person cannot mend, nor wait for. */}
      {failure.status >= 500 && !failure.waitSeconds && failure.requestId && (
        <p class="quiet small">{t.common.requestId(failure.requestId)}</p>
      )}
    </Notice>
  )
}

/** Stands where data is being read: of the size of what comes. */
export const Skeleton = ({ lines = 3 }: { lines?: number | undefined }) => (
  <div class="skeleton" role="status">
    <span class="unseen">{texts().common.loading}</span>
    {Array.from({ length: lines }, (_, line) => (
      <div key={line} />
    ))}
  </div>
)

export type Loadable<T> = { data: T | undefined; failure: Failure | undefined; again: () => void }

/** Shows what was read, a skeleton until then, or what went wrong. */
export function Loaded<T>({
  of: read,
  lines,
  children,
}: {
  of: Loadable<T>
  lines?: number
  children: (data: T) => ComponentChildren
}) {
  if (read.failure) return <FailureNotice failure={read.failure} again={read.again} />
  if (read.data === undefined) return <Skeleton lines={lines} />
  return <>{children(read.data)}</>
}

/** Says what to do when there is nothing to show. */
export const Empty = ({ children }: Children) => (
  <div class="empty" role="status">
    {children}
  </div>
)

/** The state of something: told by its word, never by colour alone. */
export const Badge = ({
  kind = 'plain',
  children,
}: Children & { kind?: 'plain' | 'good' | 'warning' | 'bad' }) => (
  <span class={`badge ${kind}`}>{children}</span>
)

export type Fact = readonly [name: string, value: ComponentChildren]

/** Names with their values. Rows without a value are left out. */
export const Facts = ({ rows }: { rows: readonly Fact[] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value !== undefined && value !== null && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** An identifier or IBAN with a button that copies it. */
export function Copyable({
  text,
  shown = text,
  name,
}: {
  text: string
  shown?: string
  name: string
}) {
  const t = texts()
  const [isCopied, setCopied] = useState(false)
  const shownText = useRef<HTMLSpanElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      // The browser does not permit it: selected, the text can be copied by hand.
      return getSelection()?.selectAllChildren(shownText.current as Node)
    }
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <span class="copyable">
      <span class="code" ref={shownText}>
        {shown}
      </span>
      <Button
        kind="link"
        label={isCopied ? t.common.copied : t.common.copyName(name)}
        onClick={() => void copy()}
      >
        {isCopied ? t.common.copied : t.common.copy}
      </Button>
      <span class="unseen" role="status">
        {isCopied ? t.common.copied : ''}
      </span>
    </span>
  )
}

/** `GB29NWBK…` in groups of four, as people read it. */
export const groupIban = (iban: string): string => iban.replace(/(.{4})(?=.)/g, '$1 ')

export const Iban = ({ iban }: { iban: string }) => (
  <Copyable text={iban} shown={groupIban(iban)} name="IBAN" />
)
