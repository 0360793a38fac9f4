// The objects of a PDF file that are written without pdfkit, and the table of all of them that ends
// the file (ISO 32000-1, 7.5). pdfkit converts and copies each object in many pieces, and an entry
// of a statement has seven objects.

/** The part of a pdfkit document that writes. */
export type ObjectWriter = {
  push(piece: Uint8Array | null): boolean
  read(): Uint8Array | null
  /** Bytes written. */
  _offset: number
  /** Where each object begins, by its number less 1; null until it is written. */
  _offsets: (number | null)[]
  _finalize(): void
  _id: Uint8Array
  _info: Reference
  _root: { id: number }
}

export type Reference = {
  id: number
  data: Record<string, unknown>
  write(text: string): void
  end(): void
}

/** Names an object in what pdfkit writes. By its tag pdfkit takes it for no dictionary. */
export class Pointer {
  readonly [Symbol.toStringTag] = 'Pointer'
  private readonly id: number
  constructor(id: number) {
    this.id = id
  }
  toString(): string {
    return `${this.id} 0 R`
  }
}

const pieceSize = 65_536

/** Lines of the table that are written at once. */
const tableSlice = 5000

/**
 * Collects what is written, mostly pieces of some twenty bytes, in a few large ones; pdfkit's own
 * stream keeps an object for each.
 */
class Output {
  private full: Buffer[] = []
  private last = Buffer.alloc(0)
  private used = 0

  add(piece: Uint8Array): void {
    this.makeRoom(piece.length)
    this.last.set(piece, this.used)
    this.used += piece.length
  }

  /** Adds text of one byte for each character. */
  addText(text: string): void {
    this.makeRoom(text.length)
    this.used += this.last.write(text, this.used, 'latin1')
  }

  private makeRoom(length: number): void {
    if (this.used + length <= this.last.length) return
    this.full.push(this.last.subarray(0, this.used))
    this.last = Buffer.allocUnsafe(Math.max(pieceSize, length))
    this.used = 0
  }

  /** All that was written since the last call. */
  takeAll(): Buffer[] {
    const taken = [...this.full, this.last.subarray(0, this.used)]
    this.full = []
    this.last = this.last.subarray(this.used)
    this.used = 0
    return taken.filter(({ length }) => length > 0)
  }
}

/** Collects what the document writes, and writes objects beside pdfkit's own. */
export function objectWriter(document: ObjectWriter) {
  const output = new Output()
  const begun = document.read()
  if (begun) output.add(begun)
  document.push = (piece) => {
    if (piece) output.add(piece)
    return true
  }
  // `writeTable` takes its place: pdfkit would write the whole table at once.
  document._finalize = () => {}

  function write(text: string): void {
    output.addText(text)
    document._offset += text.length
  }

  return {
    /** Gives the number of an object that `writeObject` will write. */
    newObject: (): number => document._offsets.push(null),
    writeObject(id: number, text: string): void {
      document._offsets[id - 1] = document._offset
      write(`${id} 0 obj\n${text}\nendobj\n`)
    },
    /** The bytes that are ready to be sent. */
    take: (): Buffer[] => output.takeAll(),
    /** The table and the trailer, by parts, between which bytes can be taken. */
    *writeTable(): Generator<void> {
      const { _offset: place, _offsets: offsets, _root, _info, _id } = document
      if (offsets.includes(null)) throw new Error('An object of the PDF is not written')
      const size = offsets.length + 1
      write(`xref\n0 ${size}\n0000000000 65535 f \n`)
      for (let at = 0; at < offsets.length; at += tableSlice) {
        const slice = offsets.slice(at, at + tableSlice)
        write(slice.map((offset) => `${`${offset}`.padStart(10, '0')} 00000 n \n`).join(''))
        yield
      }
      const key = Buffer.from(_id).toString('hex')
      const entries = `/Size ${size} /Root ${_root.id} 0 R /Info ${_info.id} 0 R`
      write(`trailer\n<<${entries} /ID [<${key}> <${key}>]>>\nstartxref\n${place}\n%%EOF\n`)
    },
  }
}
