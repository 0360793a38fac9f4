// The face of the pages. What an earlier visit has kept is used from the first screen on; else it
// is loaded late, so that it delays no balance, and used with the next screen.
import { scriptAddress } from './scripts.ts'

const address = scriptAddress('noto-sans.woff2')
const loadAfterMs = 4000

const show = (bytes: ArrayBuffer): unknown =>
  document.fonts.add(new FontFace('Face', bytes, { weight: '100 900' }))

/** A browser that keeps nothing for pages has its own face. */
export async function prepareFace(): Promise<void> {
  const kept = await caches.match(address)
  if (kept) show(await kept.arrayBuffer())
  else
    setTimeout(
      () => void import('./face-later.ts').then((later) => later.look(address, show)),
      loadAfterMs,
    )
}
