// What concerns a person's second factors and sessions: the page, and the parts of other pages.
import { Security } from '../../screens/common/security.tsx'
import { SignedIn } from '../../screens/common/signed-in.tsx'

export { askPasskey } from '../../calls/passkeys.ts'
export { Confirmation } from '../../screens/common/confirmation.tsx'
export { EnrolFirst } from '../../screens/common/enrol-first.tsx'
export { SecondStep } from '../../screens/common/second-step.tsx'

export const screens = { security: Security, signedIn: SignedIn }
