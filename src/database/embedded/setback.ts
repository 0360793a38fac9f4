// What the log of PostgreSQL says about a start that failed.

/** Why PostgreSQL did not start; `mayPass` when another server was in the way. */
export type Setback = { reason: string; mayPass: boolean }

/**
 * The log is in English on every machine: the environment of PostgreSQL says so. Lines about the
 * end of a session do not tell why the server ended. A missing control file is told in three lines
 * without a word such as FATAL; the last of them begins with "but".
 */
export function toSetback(log: string): Setback {
  const failure =
    /^(?:.*?(?:FATAL|PANIC|error): +(?! |the database system is|terminating)|but (?=could))(.*)$/gm
  const reason = [...log.matchAll(failure)].at(-1)?.[1] ?? 'it was stopped'
  return { reason, mayPass: /lock file|shared memory block|stopped/.test(reason) }
}

/** Whether the reason is a full disk, or a full quota: once space is freed, a start succeeds. */
export const isDiskFull = (reason: string): boolean =>
  /No space left on device|Disk quota exceeded/.test(reason)
