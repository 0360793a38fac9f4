// The closed words of the trail: what is done. The texts for staff are the list of them, so that an
// operation without words in a language does not compile.
import type { texts } from '../../languages/en/portal/audit.ts'
import type { texts as details } from '../../languages/en/portal/audit-details.ts'

/** Operations of everybody, which the trail does not record and has no words for. */
export const unrecordedOperations = ['getHealth', 'getReadiness', 'getPublicKeys'] as const

/** What was done. It has its words in `actions` of `languages/en/portal/audit.ts`. */
export type Action = keyof typeof texts.audit.actions | (typeof unrecordedOperations)[number]

/** Recorded beside the operations of routes: by commands, and by the service on its own. */
export const ownActions = [
  'acceptPayee',
  'archiveBooks',
  'backup',
  'closeDay',
  'createAdmin',
  'disableWebhook',
  'dropAudit',
  'endSessions',
  'erase',
  'exportAudit',
  'exportBank',
  'exportPerson',
  'finishBackup',
  'importBank',
  'inviteImported',
  'knownServiceKey',
  'move',
  'openPrompt',
  'requestApproval',
  'restoreAudit',
  'restoreBooks',
  'rotateKeys',
  'rotateSecrets',
  'useConfirmation',
  'verify',
  'verifyNew',
  'writeStatements',
] as const satisfies readonly Action[]
type OwnAction = (typeof ownActions)[number]

/** The name of a route in the API reference and in the trail, such as `freezeAccount`. */
export type Operation = Exclude<Action, OwnAction>

/** What the service itself writes as the detail of an event, whole or as a part behind `; `. */
export type WrittenDetail = keyof typeof details.auditDetails.written
