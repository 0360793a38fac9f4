// Before `node:test` is loaded. The runner follows each promise by a hook, to tell by which test an
// uncaught error was thrown: a tenth of the processor time of a run. Without it such an error ends
// the process of the run with 1 all the same, and its stack names the place.
import { createRequire } from 'node:module'

const hooks = createRequire(import.meta.url)('node:async_hooks') as {
  createHook: () => { enable(): unknown; disable(): unknown }
}
const { createHook } = hooks
/** Once: a hook that is made later is the program's own. */
hooks.createHook = () => {
  hooks.createHook = createHook
  const none = { enable: () => none, disable: () => none }
  return none
}
