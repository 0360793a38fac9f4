// The rails and the processor of a storm: two rails that carry payments to and from other banks,
// and a processor of card payments. Each is killed again and again, and a supervisor starts it
// again.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes } from '../../client/cli/exit.ts'
import { writeLogin } from '../../client/cli/login-file.ts'
import { openJournal } from '../../client/cli/other-side.ts'
import { countProcessor, type ProcessorLine } from '../../client/cli/processor.ts'
import { countRail, type RailLine } from '../../client/cli/rail.ts'
import type { Chance } from '../../demo/chance.ts'
import { type Program, run } from '../support/program.ts'
import { count, type History, violate } from './history.ts'
import type { OtherProgram } from './seed.ts'

/** Where these programs find the bank, and keep their journals. */
export type Outside = {
  folder: string
  /** The file of the authority. */
  ca: string
  ports: readonly number[]
  nodeOptions?: readonly string[] | undefined
}

/** What a rail or processor knows when the storm is over. */
export type OtherBooks = {
  callerId: string
  /** Its part of the clearing account. */
  clearing: string
} & ({ rail: readonly RailLine[] } | { processor: readonly ProcessorLine[] })

export type OtherSide = {
  kill(): void
  /** Lets it finish its work and take what is left. */
  finish(): Promise<OtherBooks>
}

type OtherSideOptions = Outside & {
  name: string
  number: number
  program: OtherProgram
  history: History
}

/** How long it waits for the bank; after that it ends and is started again. */
const waitSeconds = 20
const attemptsMax = 10

export async function keepOtherSide(options: OtherSideOptions): Promise<OtherSide> {
  const { name, number, program, history, ports, ca, nodeOptions } = options
  const { command, id, key, given } = program
  const folder = path.join(options.folder, `other-${number}`)
  const journal = path.join(folder, 'journal')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const baseUrl = `https://localhost:${ports[number % ports.length]}`
  await writeLogin(folder, { baseUrl, ca, key })
  const start = (...args: string[]): Program => {
    const common = ['--folder', folder, '--journal', journal, '--wait', String(waitSeconds)]
    return run(['client', command, ...common, '--json', ...args], {}, nodeOptions)
  }
  const wanted = { is: true }
  let current: Program | undefined

  async function ends(started: Program): Promise<boolean> {
    const code = await started.ended
    count(history, `start of a ${command}, ended with ${code}`)
    // Killed, or the bank was away for longer than it waits.
    if (code === null || code === exitCodes.unknown) return false
    if (code !== exitCodes.done) violate(history, `${name} ended with ${code}: ${started.err()}`)
    return true
  }

  async function keep(): Promise<void> {
    while (wanted.is) {
      current = start(...given)
      if (await ends(current)) return
    }
  }
  const kept = keep()
  const kill = () => void current?.child.kill('SIGKILL')

  return {
    kill,
    async finish() {
      wanted.is = false
      kill()
      await kept
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        if (await ends(start('--rounds', '1'))) break
      }
      if (command === 'rail') {
        const { lines } = openJournal<RailLine>(journal)
        return { callerId: id, rail: lines, clearing: countRail(lines)[0]?.clearing ?? '0.00' }
      }
      const { lines } = openJournal<ProcessorLine>(journal)
      const [counted] = countProcessor(lines)
      return { callerId: id, processor: lines, clearing: counted?.clearing ?? '0.00' }
    },
  }
}

/** Kills one after the other, until the storm is over. */
export async function killOthers(
  others: readonly OtherSide[],
  isOver: () => boolean,
  chance: Chance,
) {
  while (!isOver() && others.length > 0) {
    await sleep(chance.between(1000, 8000))
    chance.pick(others).kill()
  }
}
