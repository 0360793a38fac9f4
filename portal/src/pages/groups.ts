// The screens in a few files of the build: a browser loads those of the group whose page it shows.
import type { ComponentType } from 'preact'
import { loadTexts } from '../texts/language.ts'
import { type Group, groupOf, groupTexts, type PageName } from '../state/paths.ts'

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

/** Loads the group of a page and its texts, and gives the page's screen. */
export async function loadScreen(name: PageName, isForCustomer: boolean): Promise<ScreenComponent> {
  const group = groupOf(name, isForCustomer)
  const [{ screens }] = await Promise.all([groups[group](), loadTexts(...groupTexts[group])])
  return screens[name] as ScreenComponent
}

/** The parts of second factors that are not pages of their own, with their texts. */
export async function loadFactorParts(): Promise<Awaited<ReturnType<typeof loadFactors>>> {
  const [parts] = await Promise.all([loadFactors(), loadTexts(...groupTexts.factors)])
  return parts
}
