// The screens of a person's own affairs, by the name of their page.
import { Forgot } from '../common/forgot.tsx'
import { PreferencesScreen } from '../common/preferences.tsx'
import { Reset } from '../common/reset.tsx'
import { Security } from '../common/security.tsx'

export const screens = {
  forgot: Forgot,
  preferences: PreferencesScreen,
  reset: Reset,
  security: Security,
}
