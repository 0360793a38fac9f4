// The rails of a storm: two programs that carry payments to and from other banks, each killed again
// and again, and started by somebody who does only that.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes } from '../../client/cli/exit.ts'
import { writeLogin } from '../../client/cli/login-file.ts'
import { openJournal } from '../../client/cli/other-side.ts'
import { countRail, type RailLine } from '../../client/cli/rail.ts'
import type { Chance } from '../../demo/chance.ts'
import { type Program, run } from '../support/program.ts'
import { count, type History, violate } from './history.ts'

/** Where the programs beside a storm find the bank, and keep what they know. */
export type Outside = {
  folder: string
  /** The file of the authority. */
  ca: string
  ports: readonly number[]
  nodeOptions?: readonly string[] | undefined
}

/** What a rail knows when the storm is over. */
export type RailBooks = { callerId: string; lines: readonly RailLine[]; clearing: string }

export type Rail = {
  kill(): void
  /** Lets it finish what it has begun and take what is left. */
  finish(): Promise<RailBooks>
}

type RailOptions = Outside & {
  name: string
  number: number
  program: { id: string; key: string }
  credit: readonly string[]
  history: History
}

/** A rail waits so long for the bank, and is started again if that was in vain. */
const waitSeconds = 20
const attemptsMax = 10

export async function keepRail(options: RailOptions): Promise<Rail> {
  const { name, number, program, credit, history, ports, ca, nodeOptions } = options
  const folder = path.join(options.folder, `rail-${number}`)
  const journal = path.join(folder, 'journal')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const baseUrl = `https://localhost:${ports[number % ports.length]}`
  await writeLogin(folder, { baseUrl, ca, key: program.key })
  const start = (...args: string[]): Program => {
    const given = ['--folder', folder, '--journal', journal, '--wait', String(waitSeconds)]
    return run(['client', 'rail', ...given, '--json', ...args], {}, nodeOptions)
  }
  const wanted = { is: true }
  let current: Program | undefined

  async function ends(started: Program): Promise<boolean> {
    const code = await started.ended
    count(history, `start of a rail, ended with ${code}`)
    // Killed, or the bank was away for longer than it waits.
    if (code === null || code === exitCodes.unknown) return false
    if (code !== exitCodes.done) violate(history, `${name} ended with ${code}: ${started.err()}`)
    return true
  }

  async function keep(): Promise<void> {
    while (wanted.is) {
      current = start('--credit', ...credit)
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
      const { lines } = openJournal<RailLine>(journal)
      const [counted] = countRail(lines)
      return { callerId: program.id, lines, clearing: counted?.clearing ?? '0.00' }
    },
  }
}

/** Kills one after the other, until the storm is over. */
export async function killRails(rails: readonly Rail[], isOver: () => boolean, chance: Chance) {
  while (!isOver() && rails.length > 0) {
    await sleep(chance.between(1000, 8000))
    chance.pick(rails).kill()
  }
}
