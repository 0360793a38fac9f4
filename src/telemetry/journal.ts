// Priorities for the journal of systemd, which takes them from the beginning of each line
// (sd-daemon(3)): `journalctl -p err` then shows errors alone.
import { fstatSync } from 'node:fs'

/**
 * Whether the journal reads that file descriptor: systemd gives the device and the inode of its
 * socket in `JOURNAL_STREAM` (systemd.exec(5)). A program that redirects the output inherits the
 * variable, so the two are compared.
 */
export function isJournal(fd: number, stream: string | undefined): boolean {
  if (stream === undefined || !/^\d+:\d+$/.test(stream)) return false
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return `${dev}:${ino}` === stream
}

/** The priority of a text for the operator that says why a command failed. */
export const errorPriority = '<3>'

/** From the levels of the log to those of syslog (RFC 5424 section 6.2.1). */
const priorities: Readonly<Record<string, string>> = {
  60: '<2>',
  50: errorPriority,
  40: '<4>',
  30: '<6>',
  20: '<7>',
  10: '<7>',
}

/** The line with its priority. Every line of the log begins with its level, in two digits. */
export const withPriority = (line: string): string =>
  `${priorities[line.slice('{"level":'.length, '{"level":'.length + 2)] ?? ''}${line}`
