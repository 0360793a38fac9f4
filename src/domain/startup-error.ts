// An error that prevents the start, in one line for the operator; the exit code is 2.
export class StartupError extends Error {}

/**
 * One that may pass by itself: the exit code is 1, and a supervisor starts the service again. Of
 * `verify` and `restore` it is 3.
 */
export class PassingStartupError extends StartupError {}

/** An error for a failure of the file system. That of a full disk, or of a full quota, may pass. */
export function fileSystemError(message: string, cause: unknown): StartupError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes((cause as { code?: string }).code ?? '')
  return new (isFull ? PassingStartupError : StartupError)(message, { cause })
}
