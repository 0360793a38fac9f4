// Objects of a PDF file that are written without pdfkit, and the table of all objects at its end
// (ISO 32000-1, 7.5). pdfkit writes each object in many pieces, and an entry of a statement has
// seven objects.

/** The part of a pdfkit document that writes; most of it is not in its types. */
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

/** A reference to an object. The tag keeps pdfkit from writing it as a dictionary. */
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

/** Lines of the table that are written at once. */
const linesPerPart = 5000

/**
 * Takes over the output of the document, and writes objects beside those of pdfkit. The stream of
 * pdfkit would keep an object for each piece of about twenty bytes until it is read.
 */
export function createObjectWriter(document: ObjectWriter) {
  const begun = document.read()
  let pieces: Uint8Array[] = begun ? [begun] : []
  document.push = (piece) => {
    if (piece) pieces.push(piece)
    return true
  }
  // pdfkit would write the whole table at once; `writeTable` writes it in parts.
  document._finalize = () => {}

  function write(text: string): void {
    pieces.push(Buffer.from(text, 'latin1'))
    document._offset += text.length
  }

  return {
    /** The number of an object that `writeObject` will write. */
    newObject: (): number => document._offsets.push(null),
    writeObject(id: number, text: string): void {
      document._offsets[id - 1] = document._offset
      write(`${id} 0 obj\n${text}\nendobj\n`)
    },
    /** The bytes written since the last call, in one buffer or none. */
    take(): Buffer[] {
      const bytes = Buffer.concat(pieces)
      pieces = []
      return bytes.length === 0 ? [] : [bytes]
    },
    /** Writes the table and the trailer; bytes can be taken between the parts. */
    *writeTable(): Generator<void> {
      const { _offset: place, _offsets: offsets, _root, _info, _id } = document
      if (offsets.includes(null)) throw new Error('An object of the PDF is not written')
      const size = offsets.length + 1
      write(`xref\n0 ${size}\n0000000000 65535 f \n`)
      for (let at = 0; at < offsets.length; at += linesPerPart) {
        const slice = offsets.slice(at, at + linesPerPart)
        write(slice.map((offset) => `${`${offset}`.padStart(10, '0')} 00000 n \n`).join(''))
        yield
      }
      const key = Buffer.from(_id).toString('hex')
      const entries = `/Size ${size} /Root ${_root.id} 0 R /Info ${_info.id} 0 R`
      write(`trailer\n<<${entries} /ID [<${key}> <${key}>]>>\nstartxref\n${place}\n%%EOF\n`)
    },
  }
}
