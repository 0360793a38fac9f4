import { render } from 'preact'
import { App } from './app.tsx'
import { drawWith } from './cell.ts'
import { loadTexts } from './language.ts'
import { showTheme } from './preferences.ts'
import { takeResetToken } from './reset-token.ts'
import { startRouter } from './router.ts'
import { startSession } from './sign-in.ts'

const root = document.querySelector('#app') as Element

showTheme()
void loadTexts()
takeResetToken()
startRouter()
startSession()
drawWith(() => render(<App />, root))
