// The screens in a few files of the build: a browser loads those of the group whose page it shows.
import type { ComponentType } from 'preact'
import { loadTexts } from '../texts/language.ts'
import { preferences } from '../state/preferences.ts'
import { address } from '../state/router.ts'
import { findPage, type Group, groupOf, groupTexts, type PageName } from '../state/paths.ts'

type ScreenComponent = ComponentType<{ parameters: Record<string, string> }>
type Screens = { screens: Partial<Record<PageName, ScreenComponent>> }

const loadFactors = () => import('./groups/factors.ts')
const groups: Record<Group, () => Promise<Screens>> = {
  own: () => import('./groups/own.ts'),
  factors: loadFactors,
  pay: () => import('./groups/pay.ts'),
  payees: () => import('./groups/payees.ts'),
  customer: () => import('./groups/customer.ts'),
  customerRare: () => import('./groups/customer-rare.ts'),
  orders: () => import('./groups/orders.ts'),
  people: () => import('./groups/people.ts'),
  person: () => import('./groups/person.ts'),
  clearing: () => import('./groups/clearing.ts'),
  cash: () => import('./groups/cash.ts'),
  ledger: () => import('./groups/ledger.ts'),
  operations: () => import('./groups/operations.ts'),
  watch: () => import('./groups/watch.ts'),
  programs: () => import('./groups/programs.ts'),
  webhooks: () => import('./groups/webhooks.ts'),
}

/** The build writes it into the index; what was asked for is taken out. */
let imports: Record<Group, string[]> | undefined

/** Asks for what the group's script imports together with that script: a round trip less. */
function preload(group: Group): void {
  const named = document.querySelector('meta[name=imports]') as HTMLMetaElement
  imports ??= JSON.parse(named.content) as Record<Group, string[]>
  for (const file of imports[group].splice(0)) {
    const href = `/portal/assets/${file}`
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'modulepreload', href }),
    )
  }
}

/** Loads the group of a page and its texts, and gives the page's screen. */
export async function loadScreen(name: PageName, isForCustomer: boolean): Promise<ScreenComponent> {
  const group = groupOf(name, isForCustomer)
  preload(group)
  const [{ screens }] = await Promise.all([groups[group](), loadTexts(...groupTexts[group])])
  return screens[name] as ScreenComponent
}

/**
 * Loads what the address names while the bank is asked who is signed in. The home is that of the
 * last person; it is not known before there was one.
 */
export function loadEarly(): void {
  const name = findPage(address.value.path)?.name
  const { wasCustomer } = preferences.value
  if (!name || (name === 'home' && wasCustomer === undefined)) return
  // Its page asks again, and tells of a failure.
  loadScreen(name, wasCustomer === true).catch(() => undefined)
}

/** The parts of second factors that are not pages of their own, with their texts. */
export async function loadFactorParts(): Promise<Awaited<ReturnType<typeof loadFactors>>> {
  preload('factors')
  const [parts] = await Promise.all([loadFactors(), loadTexts(...groupTexts.factors)])
  return parts
}
