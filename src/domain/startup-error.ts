// An error that prevents the start, in one line for the operator; the exit code is 2.
export class StartupError extends Error {}
