// How to report a weakness (RFC 9116): only where the operator has named a contact. A guess would
// send reports to a place that is not read.
import type { FastifyInstance } from 'fastify'
import { type Clock, dayMs, rfc3339 } from '../domain/clock.ts'

/** It is current as long as the service runs; RFC 9116 section 2.5.5 asks for less than a year. */
const validMs = 90 * dayMs

const path = '/.well-known/security.txt'

type About = { contact: string; publicUrl: string; clock: Pick<Clock, 'now'> }

export const securityText =
  ({ contact, publicUrl, clock }: About) =>
  async (app: FastifyInstance) => {
    app.get(path, { config: { limit: 'docs' } }, async (_request, reply) => {
      const today = Math.floor(clock.now() / dayMs) * dayMs
      const lines = [
        `Contact: ${contact}`,
        `Expires: ${rfc3339(today + validMs)}`,
        `Canonical: ${publicUrl}${path}`,
      ]
      return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
    })
  }
