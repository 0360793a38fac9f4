// The Node that the package and the README ask for is one that every package of the lock accepts.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

type Version = readonly number[]
const toVersion = (text: string): Version =>
  text
    .split('.')
    .filter((part) => /^\d+$/.test(part))
    .map(Number)
const compare = (one: Version, other: Version): number =>
  [0, 1, 2].map((at) => (one[at] ?? 0) - (other[at] ?? 0)).find((difference) => difference !== 0) ??
  0

/** A range of npm as packages write it for Node. */
function accepts(range: string, version: Version): boolean {
  const fits = (comparator: string): boolean => {
    const [, sign, text] = /^(>=|<|\^|)([\d.x*]+)$/.exec(comparator) ?? []
    assert.ok(text !== undefined, `${range} is written in another way`)
    const bound = toVersion(text)
    if (sign === '>=') return compare(version, bound) >= 0
    if (sign === '<') return compare(version, bound) < 0
    if (sign === '^') return version[0] === bound[0] && compare(version, bound) >= 0
    return bound.every((part, at) => version[at] === part)
  }
  const alternatives = range.replaceAll(/(>=|<|\^)\s+/g, '$1').split('||')
  return alternatives.some((each) => each.trim().split(/\s+/).every(fits))
}

test('each Node that package.json accepts is one that every package of the lock accepts, and no older one is', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { engines?: { node?: string } }>
  }
  const { '': own, ...others } = packages
  const ranges = Object.values(others).flatMap((each) => each.engines?.node ?? [])
  assert.equal(own?.engines?.node, engines.node)
  const all = Array.from({ length: 12 }, (_, index) => index + 18).flatMap((major) =>
    Array.from({ length: 30 }, (_, minor): Version => [major, minor, 0]),
  )
  for (const version of all) {
    const refusing = ranges.filter((range) => !accepts(range, version))
    assert.equal(
      accepts(engines.node, version),
      refusing.length === 0,
      `${version.join('.')} is refused by ${refusing.join(', ')}`,
    )
  }
  const bounds = engines.node.match(/\d+\.\d+/g)
  const told = /any Node from (\d+\.\d+) on except (\d+)/.exec(read('README.md'))
  assert.deepEqual(
    [told?.[1], Number(told?.[2])],
    [bounds?.[0], Number.parseInt(bounds?.[1] ?? '', 10) - 1],
  )
})
