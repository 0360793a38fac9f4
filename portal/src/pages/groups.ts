// The screens in a few files of the build: a browser loads those of the group whose page it shows.
import type { ComponentType } from 'preact'
import { loadTexts } from '../texts/language.ts'
import { preferences } from '../state/preferences.ts'
import { loadScript, scriptAddress } from '../state/scripts.ts'
import { address } from '../state/router.ts'
import { findPage, type Group, groupOf, groupTexts, type PageName } from '../state/paths.ts'

type ScreenComponent = ComponentType<{ parameters: Record<string, string> }>
type Screens = { screens: Partial<Record<PageName, ScreenComponent>> }

/** The build writes it into the index; what was asked for is taken out. */
let imports: Record<Group, string[]> | undefined

/** Asks for what the group's script imports together with that script: a round trip less. */
function preload(group: Group): void {
  const named = document.querySelector('meta[name=imports]') as HTMLMetaElement
  imports ??= JSON.parse(named.content) as Record<Group, string[]>
  for (const file of imports[group].splice(0)) {
    const link = { rel: 'modulepreload', href: scriptAddress(file) }
    document.head.append(Object.assign(document.createElement('link'), link))
  }
}

/** Loads the script of a group and its texts. */
async function load<M>(group: Group): Promise<M> {
  preload(group)
  const [loaded] = await Promise.all([loadScript<M>(group), loadTexts(...groupTexts[group])])
  return loaded
}

/** Loads the group of a page, and gives the page's screen. */
export async function loadScreen(name: PageName, isForCustomer: boolean): Promise<ScreenComponent> {
  const { screens } = await load<Screens>(groupOf(name, isForCustomer))
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
export const loadFactorParts = () => load<typeof import('./groups/factors.ts')>('factors')
