// Releases by Semantic Versioning 2.0.0. docs/VERSIONS.md says what each of them promises.
import packageJson from '../../package.json' with { type: 'json' }

/** This release, such as `0.4.0`. */
export const release: string = packageJson.version

/**
 * The oldest release whose instances run on the schema as this one leaves it: the release before.
 * They may even start on it. Older ones are refused.
 */
export const oldestRelease = '0.3.0'

/** Whether `one` is `other` or a later release. */
export function isAtLeast(one: string, other: string): boolean {
  const [a, b] = [one, other].map((each) =>
    each.split('.').map((part) => Number.parseInt(part, 10)),
  )
  const place = [0, 1, 2].find((at) => a?.[at] !== b?.[at])
  return place === undefined || (a?.[place] ?? 0) > (b?.[place] ?? 0)
}
