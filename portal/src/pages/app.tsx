// Decides what is shown: a public page, the sign-in, or a page for the roles of who is signed in.
import { FailureNotice, Screen } from '../parts/basic.tsx'
import { Boundary } from '../parts/boundary.tsx'
import { Later } from '../parts/later.tsx'
import type { Failure } from '../state/failure.ts'
import { bankName } from '../state/bank.ts'
import { hasTexts, language, loadTexts } from '../texts/language.ts'
import { findPage, type Page, type PageName, pages } from '../state/paths.ts'
import { address, visitCount } from '../state/router.ts'
import { Missing } from '../screens/common/missing.tsx'
import { loadFactorParts, loadScreen } from './groups.ts'
import { hasRole, isCustomer, mustEnrol, phase, unreachableBecause } from '../calls/session.ts'
import { openSession } from '../calls/sign-in.ts'
import { PublicShell, Shell } from './shell.tsx'

type OpenPage = { name: PageName; parameters: Record<string, string> }

/** The screens of a page's group are loaded when the first of them is shown. */
const Lazy = ({ name, parameters }: OpenPage) => (
  <Later load={() => loadScreen(name, isCustomer())} with={{ parameters }} />
)

async function loadSignIn() {
  const [{ SignIn }] = await Promise.all([
    import('../screens/common/sign-in.tsx'),
    loadTexts('signIn'),
  ])
  return SignIn
}
const loadEnrolFirst = async () => (await loadFactorParts()).EnrolFirst
const loadSecondStep = async () => (await loadFactorParts()).SecondStep

function Main() {
  if (mustEnrol.value) return <Later load={loadEnrolFirst} with={{}} />
  const found = findPage(address.value.path)
  if (!found) return <Missing />
  const { roles } = pages[found.name] as Page
  if (roles && roles !== 'public' && !hasRole(...roles)) return <Missing />
  return <Lazy key={visitCount.value} {...found} />
}

const Unreachable = () => (
  <Screen title={bankName}>
    <FailureNotice failure={unreachableBecause.value as Failure} again={() => void openSession()} />
  </Screen>
)

function Whole() {
  if (!hasTexts()) return null
  const found = findPage(address.value.path)
  const isPublic = found !== undefined && (pages[found.name] as Page).roles === 'public'
  if (phase.value === 'starting' && !isPublic) return null
  const key = language()
  if (phase.value === 'in' && !isPublic) {
    return (
      <Shell key={key}>
        <Boundary>
          <Main />
        </Boundary>
      </Shell>
    )
  }
  return (
    <PublicShell key={key}>
      <Boundary>
        {isPublic ? (
          <Lazy key={found.name} {...found} />
        ) : phase.value === 'unreachable' ? (
          <Unreachable />
        ) : found ? (
          <Later load={loadSignIn} with={{ loadSecondStep }} />
        ) : (
          <Missing />
        )}
      </Boundary>
    </PublicShell>
  )
}

export const App = () => (
  <Boundary isWholePage>
    <Whole />
  </Boundary>
)
