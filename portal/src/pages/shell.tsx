// What surrounds every screen: header, menu, shortcuts, and the warning before the idle end.
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Later } from '../parts/later.tsx'
import { Menu } from '../parts/menu.tsx'
import { UserText } from '../parts/accounts.tsx'
import { initialsOf } from '../parts/row.tsx'
import { askedConfirmation, type ConfirmationProps } from '../calls/confirming.ts'
import { pauseFor } from '../calls/call.ts'
import { loadTexts, texts } from '../texts/language.ts'
import { bankName, logo } from '../state/bank.ts'
import { type PageName, to } from '../state/paths.ts'
import { isPhone } from '../state/phone.ts'
import { preferences } from '../state/preferences.ts'
import { address, navigate } from '../state/router.ts'
import {
  endIdle,
  hasFourEyes,
  idleMs,
  idleSeconds,
  isAdmin,
  isCustomer,
  isStaff,
  me,
  mustEnrol,
  warningSeconds,
} from '../calls/session.ts'
import { openSession, signOut } from '../calls/sign-in.ts'
import { ownForgotten, ownMovements, resumeMovements } from '../calls/movements.ts'
import { shownForms } from '../calls/payment.ts'
import type { Movement } from '../state/movement.ts'
import { waitingApprovals } from '../calls/waiting.ts'
import { loadFactorParts } from './groups.ts'

type Children = { children: ComponentChildren }
type Plain = Exclude<
  PageName,
  | `staff${string}`
  | 'account'
  | 'entry'
  | 'accountClose'
  | 'charts'
  | 'insight'
  | 'sharedAccount'
  | 'receipt'
  | 'deposit'
  | 'withdrawal'
>
type MenuName = Plain & keyof ReturnType<typeof texts>['nav']

const menu = (): MenuName[] => [
  ...(isCustomer()
    ? (['home', 'transfer', 'orders', 'beneficiaries', 'cards', 'statements'] as const)
    : []),
  ...(isStaff() ? (['search', 'clearing', 'users', 'today', 'programs'] as const) : []),
  ...(isAdmin() && hasFourEyes ? (['approvals'] as const) : []),
  ...(isAdmin() ? (['audit'] as const) : []),
]

const own = ['profile', 'security', 'preferences'] as const

/**
 * The bar of a phone has room for so many items of the menu: the others stand behind its last
 * button.
 */
const tabsMax = 4

/** On a phone the rarest of the customer's pages give way. */
const rare: readonly MenuName[] = ['orders', 'beneficiaries']
const tabs = (): MenuName[] =>
  menu().toSorted((one, other) => Number(rare.includes(one)) - Number(rare.includes(other)))

const Brand = () => (
  <a class="brand" href={to('home')}>
    {logo ? (
      <img src={logo} alt="" />
    ) : (
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <circle cx="16" cy="16" r="12" />
        <path d="M16 4v7M16 21v7M4 16h7M21 16h7" />
      </svg>
    )}
    {bankName}
  </a>
)

/** A link past the menu, for the keyboard. */
const Skip = () => (
  <button
    type="button"
    class="button skip"
    onClick={() => document.querySelector<HTMLElement>('main h1')?.focus()}
  >
    {texts().common.skip}
  </button>
)

export const PublicShell = ({ children }: Children) => (
  <>
    <header class="gate">
      <Brand />
    </header>
    <main class="gate">{children}</main>
  </>
)

type LinkProps = {
  name: MenuName
  hasIcon?: boolean
  /** Shown in place of its word, which then is for screen readers and in a tip. */
  children?: ComponentChildren
}

function Link({ name, hasIcon = false, children }: LinkProps) {
  const count = name === 'approvals' && waitingApprovals.value
  const word = texts().nav[name] + (count ? ` · ${count}` : '')
  const href = to(name)
  const path = address.value.path
  // Other pages of the staff lie below the search; it is their home as well.
  const below = name === 'home' ? `${href}accounts/` : name === 'search' ? undefined : `${href}/`
  const isHome = name === 'search' && !isCustomer() && path === to('home')
  const isHere = path === href || isHome || (below !== undefined && path.startsWith(below))
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined} title={children ? word : undefined}>
      {hasIcon && <Icon name={name} />}
      {children}
      <span class={children ? 'unseen' : undefined}>{word}</span>
    </a>
  )
}

const links = (names: readonly MenuName[], hasIcon = false) =>
  names.map((name) => <Link key={name} name={name} hasIcon={hasIcon} />)

/** The menu of a phone: in the bar or behind its last button. The profile stands at the top. */
function Tabs() {
  const all = [...tabs(), ...own.slice(1)]
  return (
    <nav class="tabs" aria-label={texts().common.menu}>
      {links(all.slice(0, tabsMax), true)}
      <Menu hasWord>{links(all.slice(tabsMax), true)}</Menu>
    </nav>
  )
}

const Dot = ({ of: name }: { of: string }) => (
  <span class="dot" aria-hidden="true">
    {initialsOf(name)}
  </span>
)

function Top() {
  const t = texts()
  const { givenName = '', familyName = '' } = me.value ?? {}
  const isWide = !isPhone.value
  const canGo = !mustEnrol.value
  return (
    <>
      <header class="top">
        <Brand />
        {isWide && canGo && <nav aria-label={t.common.menu}>{links(menu())}</nav>}
        <nav class="own" aria-label={t.common.account}>
          {canGo &&
            own.slice(0, isWide ? own.length : 1).map((page) => (
              <Link key={page} name={page}>
                {page === 'profile' ? (
                  [
                    <Dot of={`${givenName} ${familyName}`} />,
                    <span class="who">
                      <UserText>{givenName}</UserText> <UserText>{familyName}</UserText>
                    </span>,
                  ]
                ) : (
                  <Icon name={page} />
                )}
              </Link>
            ))}
          <Button kind="link" label={t.nav.signOut} onClick={() => void signOut()}>
            <Icon name="signOut" />
            <span>{t.nav.signOut}</span>
          </Button>
        </nav>
      </header>
      {!isWide && canGo && <Tabs />}
    </>
  )
}

/** Ends with the dialog's answer, with activity of another page, or at the idle end. */
function IdleWarning() {
  const t = texts().idle
  const [left, setLeft] = useState(Infinity)
  useEffect(() => {
    const timer = setInterval(() => {
      const now = Math.ceil(idleSeconds - idleMs() / 1000)
      setLeft(now)
      if (now <= 0) endIdle()
    }, 500)
    return () => clearInterval(timer)
  }, [])
  if (idleSeconds === 0 || left > warningSeconds) return null
  return (
    <Dialog title={t.title} isUrgent onClose={() => void openSession()}>
      <p role="timer">{t.text(Math.max(0, left))}</p>
      <div class="actions">
        <Button kind="primary" onClick={() => void openSession()}>
          {t.stay}
        </Button>
        <Button onClick={() => void signOut()}>{t.leave}</Button>
      </div>
    </Dialog>
  )
}

const isTyping = (event: KeyboardEvent): boolean =>
  (event.target as Element).closest('input, select, textarea, dialog') !== null

function useShortcuts(showHelp: () => void): void {
  const before = useRef('')
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key } = event
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
      if (!preferences.value.shortcuts || !isPlain || isTyping(event)) return
      const sequence = before.current + key
      before.current = key === 'g' ? 'g' : ''
      const field = document.querySelector<HTMLElement>('[type=search]')
      if (key === '?') showHelp()
      else if (key === '/' && field) field.focus()
      else if (key === '/' && isStaff()) navigate(to('search'))
      else if (sequence === 'ga') navigate(to('home'))
      else if (key === 'n' && isCustomer()) navigate(to('transfer'))
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

async function loadShortcuts() {
  const [{ Shortcuts }] = await Promise.all([import('./shortcuts.tsx'), loadTexts('shortcuts')])
  return Shortcuts
}

async function loadOpenMovements() {
  const parts = [import('./open-movements.tsx'), loadTexts('movement')] as const
  const [{ OpenMovements }] = await Promise.all(parts)
  return OpenMovements
}

/** When no balance waits for it any more. */
const newsAfterSeconds = 4

async function loadNews() {
  await pauseFor(newsAfterSeconds)
  return (await import('./news.tsx')).loadNews()
}

/** Whether its outcome is open or not read yet, and no form shows it. */
const isTold = ({ name, state }: Movement): boolean =>
  ['unknown', 'made', 'refused'].includes(state) && !shownForms.value.includes(name)

/** What tells of them is loaded with a review: once an answer is lost, nothing may be loaded. */
function Movements() {
  const own = ownMovements()
  const forgotten = ownForgotten()
  const hasSome = own.length + forgotten.length > 0
  useEffect(() => {
    if (hasSome) loadOpenMovements().catch(() => undefined)
  }, [hasSome])
  const told = own.filter(isTold)
  const isShown = told.length + forgotten.length > 0
  return isShown ? <Later load={loadOpenMovements} with={{ of: told, forgotten }} /> : null
}

/** What the person is asked to confirm now. A dialog that cannot be loaded confirms nothing. */
function Confirming() {
  const [Confirmation, setConfirmation] = useState<ComponentType<ConfirmationProps>>()
  const now = askedConfirmation.value
  useEffect(() => {
    if (!now || Confirmation) return
    loadFactorParts().then(
      (parts) => setConfirmation(() => parts.Confirmation),
      () => now.settle(),
    )
  }, [now])
  return now && Confirmation ? <Confirmation key={now.challenge.id} {...now} /> : null
}

export function Shell({ children }: Children) {
  const [hasHelp, setHelp] = useState(false)
  useShortcuts(() => setHelp(true))
  useEffect(resumeMovements, [])
  return (
    <>
      <Skip />
      <Top />
      <Movements />
      <main>
        {children}
        {isCustomer() && <Later load={loadNews} with={{}} isQuiet />}
      </main>
      <Confirming />
      <IdleWarning />
      {hasHelp && <Later load={loadShortcuts} with={{ onClose: () => setHelp(false) }} />}
    </>
  )
}
