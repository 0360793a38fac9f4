// The folder of `client rail-files`, and what it keeps there. Whatever is written is in the file
// system before the next step: a kill, or a loss of power, leaves the former or the next state.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { UsageError } from '../exit.ts'

/** `out` and `in`: files to the other side and from it. `open`: files that are being made. */
export const rooms = ['out', 'in', 'done', 'refused', 'open'] as const
export type Room = (typeof rooms)[number]

const fileMode = 0o600
const folderMode = 0o700

function syncFolder(folder: string): void {
  // Windows opens no folder; it keeps the order of its changes by itself.
  if (process.platform === 'win32') return
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Writes to the end and waits for the disk. */
function writeWhole(file: string, text: string, flags: 'w' | 'a'): void {
  const opened = openSync(file, flags, fileMode)
  try {
    const bytes = Buffer.from(text)
    for (let from = 0; from < bytes.length;) from += writeSync(opened, bytes, from)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

export class Folder {
  private readonly home: string
  constructor(home: string) {
    this.home = home
    try {
      for (const room of rooms)
        mkdirSync(path.join(home, room), { recursive: true, mode: folderMode })
    } catch (thrown) {
      throw new UsageError(`The folder ${home} cannot be used: ${(thrown as Error).message}`)
    }
  }

  pathOf(room: Room, name: string): string {
    return path.join(this.home, room, name)
  }

  has(room: Room, name: string): boolean {
    return existsSync(this.pathOf(room, name))
  }

  read(room: Room, name: string): Buffer {
    return readFileSync(this.pathOf(room, name))
  }

  sizeOf(room: Room, name: string): number {
    return statSync(this.pathOf(room, name)).size
  }

  /** Regular files by name, without those that are being written: `.name`, `.part` and `.tmp`. */
  list(room: Room): string[] {
    return readdirSync(path.join(this.home, room), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^\.|\.(part|tmp)$/i.test(entry.name))
      .map((entry) => entry.name)
      .toSorted()
  }

  /** The whole file or none. */
  write(room: Room, name: string, text: string): void {
    const temporary = this.pathOf(room, `.${name}.tmp`)
    writeWhole(temporary, text, 'w')
    renameSync(temporary, this.pathOf(room, name))
    syncFolder(path.join(this.home, room))
  }

  move(from: Room, name: string, to: Room, newName = name): void {
    renameSync(this.pathOf(from, name), this.pathOf(to, newName))
    syncFolder(path.join(this.home, to))
    syncFolder(path.join(this.home, from))
  }

  remove(room: Room, name: string): void {
    unlinkSync(this.pathOf(room, name))
  }

  /** The name, or one with a number behind it that no file has there. */
  freeName(room: Room, name: string): string {
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${name}.${number}`
      if (!this.has(room, free)) return free
    }
  }

  openJournal<L extends object>(): Journal<L> {
    const file = path.join(this.home, 'journal')
    try {
      const isNew = !existsSync(file)
      if (isNew) writeWhole(file, '', 'a')
      if (isNew) syncFolder(this.home)
      return new Journal(file)
    } catch (thrown) {
      throw new UsageError(`The journal ${file} cannot be used: ${(thrown as Error).message}`)
    }
  }
}

/** Lines of JSON. Each is on the disk before `add` returns. */
export class Journal<L extends object> {
  readonly lines: readonly L[]
  private readonly file: string
  private readonly added: L[]
  private isCut: boolean

  constructor(file: string) {
    const text = readFileSync(file, 'utf8')
    this.file = file
    // A kill can leave a line without its end: nothing was done for it yet.
    this.added = text.split('\n').flatMap((line) => parseLine<L>(line))
    this.lines = this.added
    this.isCut = text !== '' && !text.endsWith('\n')
  }

  add(...lines: readonly L[]): void {
    if (lines.length === 0) return
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    writeWhole(this.file, this.isCut ? `\n${text}` : text, 'a')
    this.isCut = false
    this.added.push(...lines)
  }
}

function parseLine<L>(line: string): L[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as L]
  } catch {
    return []
  }
}
