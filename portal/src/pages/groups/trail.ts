// The screen of the audit trail, by the name of its page.
import { Audit } from '../../screens/staff/audit.tsx'

export const screens = {
  audit: Audit,
}
