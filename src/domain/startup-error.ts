// What keeps the service from starting, in one line for the operator; main makes it exit code 2.
export class StartupError extends Error {}
