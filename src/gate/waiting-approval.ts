// What the maker of a change that waits for a second person is answered.
import { ApprovalId } from '../domain/ids.ts'
import { named, oneOf, Time } from '../domain/schema.ts'

export const approvalStatuses = ['pending', 'executed', 'rejected', 'withdrawn', 'expired'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

export const approvalsPath = '/api/v1/admin/approvals'

/** With status 202, in place of the answer to the change; `Location` leads to the approval. */
export const WaitingApproval = named('HeldApproval', {
  approvalId: ApprovalId,
  status: oneOf(approvalStatuses),
  expiresAt: Time,
})
