// Loads the face of the pages once nothing else is loaded, keeps it, and uses it with the next
// screen: nothing moves under a pointer while a screen is read.
const cacheName = 'face'
const lookMs = 1000

export function look(address: string, show: (bytes: ArrayBuffer) => unknown): void {
  const timer = setInterval(() => {
    const heading = document.querySelector('h1')
    if (!heading || document.querySelector('.skeleton')) return
    clearInterval(timer)
    load(address, () => heading.isConnected, show).catch(() => undefined)
  }, lookMs)
}

/** @param isRead whether the screen is still the same */
async function load(
  address: string,
  isRead: () => boolean,
  show: (bytes: ArrayBuffer) => unknown,
): Promise<void> {
  const answer = await fetch(address)
  if (!answer.ok) return
  const bytes = await answer.clone().arrayBuffer()
  const observer = new MutationObserver(() => {
    if (isRead()) return
    observer.disconnect()
    show(bytes)
  })
  observer.observe(document.body, { childList: true, subtree: true })
  // Nothing of earlier builds is kept.
  await caches.delete(cacheName)
  await (await caches.open(cacheName)).put(address, answer)
}
