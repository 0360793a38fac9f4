// The stage of a storm with standbys: each fault takes them away for a while, and most of them end
// with the death of the primary and a standby in its place.
import { chmod, mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { now } from '../faults/history.ts'
import type { Fault, Stage } from '../faults/nemesis.ts'
import { type Absence, type Nodes, openNodes } from './nodes.ts'

export const clusterKinds = [
  'standbys away',
  'fail over',
  'fail over after cancelled waits',
  'fail over after ended waits',
  'fail over after a restart',
] as const
export type ClusterKind = (typeof clusterKinds)[number]

const absences: Absence[] = ['cut', 'silent', 'stopped']
/** A service that starts meanwhile may find no database that it can write to. */
const disturbedMs = 30_000

export async function openCluster(folder: string): Promise<Stage> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o711)
  const nodes = await openNodes(folder)
  const { address, wire, stop } = nodes
  const { user, password, database } = address
  let disturbedUntil = 0
  return {
    address,
    url: `postgres://${user}:${password}@127.0.0.1:${wire.port}/${database}`,
    isDisturbed: () => now() < disturbedUntil,
    kinds: clusterKinds,
    async inject(fault) {
      disturbedUntil = now() + fault.ms + disturbedMs
      return inject(nodes, fault)
    },
    stop,
  }
}

async function inject(nodes: Nodes, fault: Fault): Promise<number> {
  const { ms, size } = fault
  const kind = fault.kind as ClusterKind
  if (kind !== 'fail over') await nodes.part(absences[size % absences.length] as Absence)
  switch (kind) {
    case 'standbys away':
      await sleep(ms)
      await nodes.rejoin()
      return now()
    case 'fail over':
      break
    case 'fail over after cancelled waits':
      await endWaits(nodes, 'pg_cancel_backend', ms)
      break
    case 'fail over after ended waits':
      await endWaits(nodes, 'pg_terminate_backend', ms)
      break
    case 'fail over after a restart':
      // What no standby has is in the books of the primary now, for all to see.
      await sleep(ms)
      await nodes.crash()
      await nodes.start()
      await sleep(ms)
  }
  await nodes.crash()
  await nodes.promote()
  await nodes.rebuild()
  return now()
}

async function endWaits(
  nodes: Nodes,
  how: Parameters<Nodes['endWaits']>[0],
  ms: number,
): Promise<void> {
  for (const until = now() + ms; now() < until;) {
    await nodes.endWaits(how)
    await sleep(100)
  }
}
