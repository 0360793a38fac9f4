// The face of the pages. What an earlier visit has kept is used from the first screen on; else it
// is loaded late, so that it delays no balance, and used with the next screen.
import { scriptAddress } from './scripts.ts'

const address = scriptAddress('noto-sans.woff2')
const loadAfterMs = 4000

const show = (bytes: ArrayBuffer): unknown =>
  document.fonts.add(new FontFace('Face', bytes, { weight: '100 900' }))

/** A browser that keeps nothing for pages, as some do in private windows, loads it each time. */
export async function prepareFace(): Promise<void> {
  try {
    const kept = await caches.match(address)
    if (kept) return void show(await kept.arrayBuffer())
  } catch {
    // It has no `caches`, or refuses them.
  }
  setTimeout(
    () =>
      void import('./face-later.ts').then(
        (later) => later.look(address, show),
        // A bank that is away at that moment: the pages keep the face of the system.
        () => undefined,
      ),
    loadAfterMs,
  )
}
