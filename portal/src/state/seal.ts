// Seals what the browser's storage keeps of a movement of money. The key is a cookie of this page,
// without an end of its own: it goes with the browser, and with each end of a session that forgets
// what was typed. After that nothing opens what was sealed.
const name = '__Host-strongroom-seal'
const attributes = 'Path=/; Secure; SameSite=Strict'

const readKey = (): string | undefined =>
  document.cookie
    .split('; ')
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/** Each sealing has its own (AES-GCM, NIST SP 800-38D). */
const vectorBytes = 12

const toText = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const toBytes = (text: string) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))

const importKey = (key: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', toBytes(key), 'AES-GCM', false, ['encrypt', 'decrypt'])

/** Makes the key if there is none. */
export async function seal(content: unknown): Promise<string> {
  const key = readKey() ?? toText(crypto.getRandomValues(new Uint8Array(32)))
  document.cookie = `${name}=${key}; ${attributes}`
  const iv = crypto.getRandomValues(new Uint8Array(vectorBytes))
  const plain = new TextEncoder().encode(JSON.stringify(content))
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await importKey(key), plain)
  return toText(new Uint8Array([...iv, ...new Uint8Array(sealed)]))
}

/** Undefined where the key is gone, or is not that by which it was sealed. */
export async function unseal(text: string): Promise<unknown> {
  const key = readKey()
  if (key === undefined) return undefined
  try {
    const bytes = toBytes(text)
    const algorithm = { name: 'AES-GCM', iv: bytes.slice(0, vectorBytes) }
    const sealed = bytes.slice(vectorBytes)
    const plain = await crypto.subtle.decrypt(algorithm, await importKey(key), sealed)
    return JSON.parse(new TextDecoder().decode(plain)) as unknown
  } catch {
    return undefined
  }
}

export function destroySeal(): void {
  document.cookie = `${name}=; ${attributes}; Max-Age=0`
}
