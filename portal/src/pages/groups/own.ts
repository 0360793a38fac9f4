// The screens of a person's own affairs, by the name of their page.
import { EmailProof } from '../../screens/common/email-proof.tsx'
import { FactorReset } from '../../screens/common/factor-reset.tsx'
import { Help } from '../../screens/common/help.tsx'
import { Forgot } from '../../screens/common/forgot.tsx'
import { PreferencesScreen } from '../../screens/common/preferences.tsx'
import { Profile } from '../../screens/common/profile.tsx'
import { Reset } from '../../screens/common/reset.tsx'

export const screens = {
  forgot: Forgot,
  help: Help,
  preferences: PreferencesScreen,
  profile: Profile,
  reset: Reset,
  factorReset: FactorReset,
  emailProof: EmailProof,
}
