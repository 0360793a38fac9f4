// Gathers what a driver writes into one write of its socket. The types of both drivers name that
// socket, but their documents do not, so it is checked before it is used.
type Corkable = { cork(): void; uncork(): void }

/** The socket of a driver, or an error that names the driver. */
export function corkable(driver: string, stream: Partial<Corkable> | undefined): Corkable {
  if (typeof stream?.cork === 'function' && typeof stream.uncork === 'function') {
    return stream as Corkable
  }
  throw new Error(`This version of ${driver} shows no socket: use the one in package-lock.json`)
}
