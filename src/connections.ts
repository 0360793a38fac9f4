// The HTTP/1.1 connections of one listener and how many requests of each are being worked on, so
// that a connection is ended only when every answer it is owed has gone out.
import type { Duplex } from 'node:stream'
import type { Outgoing } from './transport.ts'

type Connection = { underWay: number; isEnding: boolean }

export class Connections {
  private readonly open = new Map<Duplex, Connection>()
  private isDraining = false

  /** Counts a request until its response has been sent or lost. */
  begin(socket: Duplex, response: Outgoing): void {
    const connection = this.of(socket)
    connection.underWay++
    response.once('close', () => {
      connection.underWay--
      this.endIfDone(socket, connection)
    })
  }

  /**
   * Ends the connection once it is owed nothing.
   *
   * @returns false when it is owed nothing already, and nothing was done
   */
  endAfterAnswers(socket: Duplex): boolean {
    const connection = this.open.get(socket)
    if (!connection || connection.underWay === 0) return false
    connection.isEnding = true
    return true
  }

  /** Ends all connections, each when it is owed nothing. */
  drain(): void {
    this.isDraining = true
    for (const [socket, connection] of this.open) this.endIfDone(socket, connection)
  }

  /** Cuts what is left. */
  cut(): void {
    for (const socket of this.open.keys()) socket.destroy()
  }

  private of(socket: Duplex): Connection {
    const known = this.open.get(socket)
    if (known) return known
    const connection = { underWay: 0, isEnding: false }
    this.open.set(socket, connection)
    socket.once('close', () => this.open.delete(socket))
    return connection
  }

  private endIfDone(socket: Duplex, { underWay, isEnding }: Connection): void {
    if (underWay > 0 || !(isEnding || this.isDraining)) return
    ;(socket as Duplex & { destroySoon(): void }).destroySoon()
  }
}
