// Elements of the XML that the service writes (ISO 20022).

/** Characters that XML 1.0 does not allow, or that a reader would change. */
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

export const escape = (text: string): string =>
  text
    .toWellFormed()
    .replace(unwritable, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] as string)

/** An element, or nothing when its content is empty. */
export function element(name: string, ...contents: string[]): string {
  const content = contents.join('')
  return content === '' ? '' : `<${name}>${content}</${name}>`
}

/** The longest text of a Max140Text, in characters. */
const textMax = 140
export const textElement = (name: string, text: string, charactersMax = textMax): string =>
  element(name, escape(Array.from(text).slice(0, charactersMax).join('')))
/** Without hyphens, which would make it longer than a Max35Text. */
export const identifier = (uuid: string): string => uuid.replaceAll('-', '')
