// The screens of a person's own affairs, by the name of their page.
import { FactorReset } from '../common/factor-reset.tsx'
import { Forgot } from '../common/forgot.tsx'
import { PreferencesScreen } from '../common/preferences.tsx'
import { Reset } from '../common/reset.tsx'

export const screens = {
  forgot: Forgot,
  preferences: PreferencesScreen,
  reset: Reset,
  factorReset: FactorReset,
}
