// Proves that the judge finds defects: one short storm for each known defect, which has to be found
// for what it is.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openCluster } from '../cluster/stage.ts'
import { bugs } from './bug-table.ts'
import { openStage } from './nemesis.ts'
import { type StormOptions, stormOn } from './storm-run.ts'

const seconds = 10
const payments = 600
/** A failover takes several seconds. */
const clusterPayments = 100

export type Found = {
  name: string
  does: string
  verdict: string | undefined
  violations: string[]
}

type BugOptions = Pick<StormOptions, 'seed' | 'say'> & {
  names?: readonly string[]
  /** Called for each bug as soon as it is judged. */
  judged?: (found: Found) => void
}

/** Gives the finding for each bug; one without a verdict was not noticed. */
export async function tryBugs({
  seed,
  say,
  names = Object.keys(bugs),
  judged = () => {},
}: BugOptions): Promise<Found[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-bugs-'))
  await chmod(folder, 0o755)
  const all: Found[] = []
  try {
    for (const name of names) {
      const found = await tryUntilFound(name, folder, { seed, say })
      judged(found)
      all.push(found)
    }
    return all
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A bug that depends on timing gets up to this many storms. */
const stormsMax = 3

async function tryUntilFound(
  name: string,
  folder: string,
  { seed, say }: Pick<BugOptions, 'seed' | 'say'>,
): Promise<Found> {
  for (let turn = 0; ; turn++) {
    const own = path.join(folder, `${name}-${turn}`)
    const found = await tryOne(name, own, { seed: seed + turn, say })
    if (found.verdict !== undefined || turn + 1 === stormsMax) return found
  }
}

async function tryOne(
  name: string,
  folder: string,
  { seed, say }: Pick<BugOptions, 'seed' | 'say'>,
): Promise<Found> {
  const bug = bugs[name]
  if (!bug) throw new Error(`There is no bug ${name}`)
  const { kinds, isOnCluster = false } = bug
  const stage = await (isOnCluster ? openCluster : openStage)(path.join(folder, 'database'))
  try {
    const least = isOnCluster ? clusterPayments : payments
    const options = { seconds, payments: least, seed, kinds, bug: name, ...(say && { say }) }
    const { violations } = await stormOn(stage, folder, options)
    const verdict = violations.find((each) => bug.found.test(each))
    return { name, does: bug.does, verdict, violations }
  } finally {
    await stage.stop()
  }
}
