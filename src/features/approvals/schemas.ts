// The schemas of approvals, and the conversion of rows to them.
import { Type } from '../../domain/type.ts'
import { ApprovalId, uuidPattern } from '../../domain/ids.ts'
import { named, nullable, oneOf, Text, Time, withExample } from '../../domain/schema.ts'
import { type ApprovalStatus, approvalStatuses } from '../../gate/waiting-approval.ts'
import type { ApprovalRow } from './sql.ts'
import { ApprovalSubject } from './subjects.ts'

const Id = Type.String({ pattern: uuidPattern, minLength: 36, maxLength: 36 })
const exampleId = '01981f7e-4c00-7000-8000-616363000000'

const ShownName = Type.String({
  maxLength: 141,
  description: 'With `subjects`: of the person or program.',
  examples: ['Robin Ortiz'],
})

/** The largest body that a server accepts, as text of JSON. */
const bodyLengthMax = 4 * 1024 * 1024

export const Approval = named('Approval', {
  id: ApprovalId,
  status: oneOf(approvalStatuses),
  operation: Type.String({ maxLength: 80, examples: ['freezeAccount'] }),
  path: nullable(
    Type.String({
      maxLength: 2000,
      description: 'The path of the request; null if there is no such operation any more.',
      examples: [`/api/v1/admin/accounts/${exampleId}/freeze`],
    }),
  ),
  body: nullable(
    Type.String({
      maxLength: bodyLengthMax,
      description: 'The body as text of JSON, exactly as it will be executed.',
      examples: ['{"reason":"Reported stolen"}'],
    }),
  ),
  makerId: Type.String({
    ...Id,
    description: 'The person or service account.',
    examples: [exampleId],
  }),
  checkerId: nullable(Type.String({ ...Id, examples: [exampleId] })),
  createdAt: Time,
  expiresAt: Time,
  decidedAt: nullable(Time),
  reason: nullable(withExample(Text, 'Asked for by the holder')),
  resourceId: nullable(
    Type.String({
      ...Id,
      description: 'What the change has made, such as the transfer of a deposit.',
      examples: [exampleId],
    }),
  ),
  subject: Type.Optional(ApprovalSubject),
  makerName: Type.Optional(ShownName),
  checkerName: Type.Optional(ShownName),
})

type StatusInTime = Pick<ApprovalRow, 'status' | 'expiresAt'>

/** A request that was not decided in time stays `pending` in the table. */
export const toStatus = ({ status, expiresAt }: StatusInTime, now: number): ApprovalStatus =>
  status === 'pending' && expiresAt.getTime() <= now ? 'expired' : status
