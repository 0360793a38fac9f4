// The licences of the packages that the service needs: what a distribution of it has to name.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

type Locked = { license?: string; dev?: boolean; devOptional?: boolean }

/** Packages whose manifest names no licence, with the one in their file LICENSE. */
const unnamed: Record<string, string> = { 'node_modules/png-js': 'MIT' }

/**
 * Every package of package-lock.json that is no development dependency, those of other platforms
 * included, with the SPDX expression of its licence.
 */
export function lockedLicences(root: string): Map<string, string | undefined> {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const needed = Object.entries(lock.packages).filter(
    ([folder, { dev, devOptional }]) => folder && !dev && !devOptional,
  )
  return new Map(needed.map(([folder, { license }]) => [folder, license ?? unnamed[folder]]))
}

const face = 'Noto Sans (face of the pages)'

const isLicence = (file: string): boolean => /^(licen[cs]e|copying|notice|ofl)/i.test(file)

/** The text of THIRD-PARTY-LICENCES.txt: each package, and once each text that packages bring. */
export function thirdPartyLicences(root: string): string {
  const packagesOf = new Map<string, string[]>()
  const names: string[] = []
  const addText = (file: string, name: string) => {
    const text = readFileSync(file, 'utf8').replaceAll('\r', '').trim()
    packagesOf.set(text, [...(packagesOf.get(text) ?? []), name])
  }
  for (const [folder, licence] of lockedLicences(root)) {
    const home = path.join(root, folder)
    const name = folder.replace(/^.*node_modules\//, '')
    names.push(`${name}: ${licence}`)
    const files = existsSync(home) ? readdirSync(home).filter(isLicence) : []
    for (const file of files) addText(path.join(home, file), name)
  }
  // The one part of the pages that comes from no package.
  names.push(`${face}: OFL-1.1`)
  addText(path.join(root, 'portal/fonts/OFL.txt'), face)
  const rule = `\n\n${'-'.repeat(80)}\n\n`
  const texts = [...packagesOf].map(([text, packages]) => `${packages.join(', ')}\n\n${text}`)
  const head = 'The service needs these packages. The texts that they bring follow.'
  return `${[`${head}\n\n${[...new Set(names)].join('\n')}`, ...texts].join(rule)}\n`
}
