// A file in place of JSON.
import { constants, type Http2ServerResponse } from 'node:http2'
import type { FastifyReply } from 'fastify'
import { refuse } from '../domain/errors.ts'
import { describeError, type Log } from '../telemetry/log.ts'
import type { FileReply, Route } from './route.ts'
import { LoggedError } from '../domain/logged-error.ts'

/**
 * Streams a file. Once its first bytes are out a failure can only cut the connection, so that a
 * part of a file never looks like the whole.
 */
export function sendFile(
  reply: FastifyReply,
  { mediaType, name, body }: FileReply,
  { files = [] }: Pick<Route, 'files'>,
  log: Log,
): FastifyReply {
  const { id: requestId, method, raw: request } = reply.request
  body.once('error', (thrown) => {
    log.warn({ requestId, error: describeError(thrown) }, 'file was cut')
    // The framework destroys the answer without an error, which over HTTP/2 reads like its end.
    const { raw } = reply
    if (raw.headersSent && 'stream' in raw)
      (raw as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  })
  if (request.httpVersion === '1.0') {
    body.destroy()
    // HTTP/1.0 ends a file by closing the connection: one that was cut would look whole.
    refuse('not_acceptable', { because: 'a file over HTTP/1.0' })
  }
  if (method === 'HEAD') body.destroy()
  if (!files.includes(mediaType)) {
    body.destroy()
    throw new LoggedError(`${mediaType} is not among the files of this route`)
  }
  const disposition = `attachment; filename="${name}"`
  return reply.headers({ 'content-type': mediaType, 'content-disposition': disposition }).send(body)
}
