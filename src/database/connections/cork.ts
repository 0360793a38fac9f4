// Gathers what the driver writes into one write of its socket. Its types name that socket, but its
// documents do not, so it is checked before it is used.
type Corkable = { cork(): void; uncork(): void }

/** The socket of the driver, or an error that names the driver. */
export function corkable(stream: Partial<Corkable> | undefined): Corkable {
  if (typeof stream?.cork === 'function' && typeof stream.uncork === 'function') {
    return stream as Corkable
  }
  throw new Error('This version of pg shows no socket: use the one in package-lock.json')
}

type Connected = { connection: { stream: Partial<Corkable> } }

/** What `send` gives the driver before it returns goes out in one write. */
export function together<R>(client: Connected, send: () => R): R {
  const stream = corkable(client.connection.stream)
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

/**
 * The answers of statements that were sent together. Throws the failure of the first one that
 * failed: in a transaction those behind it fail because of it.
 */
export async function answersOf<const P extends readonly unknown[]>(
  sent: P,
): Promise<{ -readonly [I in keyof P]: Awaited<P[I]> }> {
  await Promise.allSettled(sent)
  return Promise.all(sent)
}
