// Is read before Node's test runner, which follows every promise to tell which test a stray error
// comes from. Without that the tests take less of the processor, and such an error fails its file.
import hooks from 'node:async_hooks'

const { createHook } = hooks
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
