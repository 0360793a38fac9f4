// What concerns a person's second factors and sessions: the page, and the parts of other pages.
import { Security } from '../common/security.tsx'

export { askPasskey } from '../../passkeys.ts'
export { Confirmation } from '../common/confirmation.tsx'
export { EnrolFirst } from '../common/enrol-first.tsx'
export { SecondStep } from '../common/second-step.tsx'

export const screens = { security: Security }
