import { options, render } from 'preact'
import { App } from './app.tsx'
import { makeTextsElements } from '../parts/text-elements.ts'
import { drawWith } from '../state/cell.ts'
import { loadTexts } from '../texts/language.ts'
import { prepareFace } from '../state/face.ts'
import { showTheme } from '../state/preferences.ts'
import { takeIssuerAnswer } from '../state/issuer-answer.ts'
import { takeResetToken } from '../state/reset-token.ts'
import { startRouter } from '../state/router.ts'
import { startSession } from '../calls/sign-in.ts'
import { loadEarly, loadFactorParts } from './groups.ts'

const root = document.querySelector('#app') as Element

// Effects run in the task that draws, not after the next frame, which may be late: until then a key
// or a click would miss what listens for it, and the focus would leave the field where somebody
// types by now.
options.requestAnimationFrame = queueMicrotask

/** The sentence of the index is shown at once, not after a while. */
function fail(thrown: unknown): void {
  document.documentElement.dataset['failed'] = ''
  reportError(thrown)
}

try {
  makeTextsElements()
  showTheme()
  loadTexts().catch(fail)
  takeResetToken()
  takeIssuerAnswer()
  startRouter()
  startSession(loadFactorParts)
  loadEarly()
  prepareFace().catch(() => undefined)
  drawWith(() => render(<App />, root))
} catch (thrown) {
  fail(thrown)
}
