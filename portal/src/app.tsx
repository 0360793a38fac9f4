// Decides what is shown: a public page, the sign-in, or a page for the roles of who is signed in.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Skeleton } from './parts/basic.tsx'
import { hasTexts, language, loadTexts } from './language.ts'
import { findPage, type Page, type PageName, pages } from './pages.ts'
import { address, visit } from './router.ts'
import { Forgot } from './screens/common/forgot.tsx'
import { Missing } from './screens/common/missing.tsx'
import { Reset } from './screens/common/reset.tsx'
import { SignIn, Unreachable } from './screens/common/sign-in.tsx'
import { loadGroup } from './screens/groups.ts'
import { hasRole, isCustomer, phase } from './session.ts'
import { PublicShell, Shell } from './shell.tsx'

type ScreenComponent = ComponentType<{ parameters: Record<string, string> }>
type Screens = Partial<Record<PageName, ScreenComponent>>

/** The screens of a page's group are loaded when the first of them is shown. */
function Lazy({ name, parameters }: { name: PageName; parameters: Record<string, string> }) {
  const [Found, setFound] = useState<ScreenComponent>()
  useEffect(() => {
    const { roles } = pages[name] as Page
    const isForCustomers = Array.isArray(roles) ? roles.includes('customer') : isCustomer()
    const load = async () => {
      const [{ screens }] = await Promise.all([loadGroup(name, isForCustomers), loadTexts()])
      setFound(() => (screens as Screens)[name])
    }
    void load()
  }, [name])
  return Found ? <Found parameters={parameters} /> : <Skeleton />
}

function Main() {
  const found = findPage(address.value.path)
  if (!found) return <Missing />
  const { roles } = pages[found.name] as Page
  if (roles && roles !== 'public' && !hasRole(...roles)) return <Missing />
  return <Lazy key={visit.value} {...found} />
}

export function App() {
  if (!hasTexts()) return null
  const found = findPage(address.value.path)
  const key = language()
  if (found?.name === 'forgot') return <PublicShell key={key}>{<Forgot />}</PublicShell>
  if (found?.name === 'reset') return <PublicShell key={key}>{<Reset />}</PublicShell>
  if (phase.value === 'starting') return null
  if (phase.value === 'unreachable') return <PublicShell key={key}>{<Unreachable />}</PublicShell>
  if (phase.value === 'out')
    return <PublicShell key={key}>{found ? <SignIn /> : <Missing />}</PublicShell>
  return (
    <Shell key={key}>
      <Main />
    </Shell>
  )
}
