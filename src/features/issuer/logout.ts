// The issuer ends sessions (OpenID Connect Back-Channel Logout 1.0): those that began at one
// session there, or all that a person began there. A session whose ID token had no `sid` may have
// begun at any: it ends with each logout of its person.
import { Type } from '../../domain/type.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { invalid, Refusal } from '../../domain/errors.ts'
import { closed, Count, named, secretKey } from '../../domain/schema.ts'
import { lockCallers } from '../../gate/lock-callers.ts'
import { route } from '../../http/route.ts'
import type { Issuer, IssuerLogout } from '../../http/services.ts'
import {
  addLogout,
  endSessionsOfIssuer,
  hashOf,
  lockIssuerSession,
  peopleOfSid,
  userBySubject,
} from './sql.ts'
import { requireIssuer } from './visits.ts'

/**
 * Longer than a sign-in can take that is under way, at the issuer and with the factor here. A token
 * is refused by its age two minutes after it was made, so none is obeyed again.
 */
const rememberedMs = 3_600_000

const field = '/body/logout_token'

const LogoutToken = closed({
  logout_token: Type.String({
    minLength: 1,
    maxLength: 8192,
    [secretKey]: true,
    examples: ['eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.e30.c2lnbmF0dXJl'],
  }),
})

const logOutByIssuer = route({
  method: 'POST',
  path: '/api/v1/auth/issuer-logout',
  operation: 'logoutByIssuer',
  summary:
    'End sessions that began at the issuer, by its logout token (OpenID Connect Back-Channel ' +
    'Logout 1.0): those of its `sid`, and those of its `sub` that name none; without a `sid` all ' +
    'of its `sub`. A token works once.',
  access: 'public',
  limit: 'issuer',
  form: true,
  body: LogoutToken,
  reply: { 200: named('IssuerLogout', { ended: Count }) },
  refusals: ['not_found', 'issuer_unavailable'],
  example: { logout_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.e30.c2lnbmF0dXJl' },
  async handle({ body, db, now, service, record }) {
    const issuer = requireIssuer(service)
    const order = await readToken(issuer, body.logout_token)
    const row = toRow(order, now)
    const { sidHash } = row
    const ended = await transaction(db, async (tx) => {
      if (sidHash) await lockIssuerSession(tx, sidHash)
      const subjects = await peopleOf(tx, order)
      const ofSid = sidHash ? await peopleOfSid(tx, sidHash) : []
      const people = [...new Set([...subjects, ...ofSid])]
      await lockCallers(tx, { people })
      if (!(await addLogout(tx, row))) invalid(field, 'was used before')
      const logout = { issuer: issuer.name, subjects, sidHash, now }
      const sessions = await endSessionsOfIssuer(tx, people, logout)
      const targets = sessions.length > 0 ? sessions.map(({ id }) => id) : [null]
      for (const target of targets) await record(tx, { target })
      return sessions.length
    })
    return { ended }
  },
})

async function readToken(issuer: Issuer, token: string): Promise<IssuerLogout> {
  try {
    return await issuer.readLogout(token)
  } catch (thrown) {
    const isWrong = thrown instanceof Refusal && thrown.code === 'issuer_refused'
    if (!isWrong) throw thrown
    issuer.noteRefused()
    return invalid(field, 'is not a logout token of the issuer for this bank')
  }
}

const toRow = ({ issuer, jti, sid, subject, issuedAt }: IssuerLogout, now: number) => ({
  tokenHash: hashOf(issuer, jti),
  sidHash: sid === undefined ? null : hashOf(issuer, sid),
  subjectHash: subject === undefined ? null : hashOf(issuer, subject),
  issuedAt: new Date(issuedAt),
  expiresAt: new Date(now + rememberedMs),
})

async function peopleOf(
  tx: Parameters<typeof userBySubject>[0],
  { issuer, subject }: IssuerLogout,
): Promise<string[]> {
  const user = subject === undefined ? undefined : await userBySubject(tx, { issuer, subject })
  return user ? [user.userId] : []
}

export const issuerRoutes = [logOutByIssuer]
