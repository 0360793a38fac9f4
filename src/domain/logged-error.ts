// An error whose message the log shows.

/**
 * Its message is a constant of this program, with identifiers and counts at most. The message of
 * any other error may hold what a client sent, and is not shown.
 */
export class LoggedError extends Error {}
