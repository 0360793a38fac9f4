// Second factors of people in tests: an authenticator application of another author, and what it
// takes to enrol and to log in with it.
import { TOTP, URI } from 'otpauth'
import type { Reply } from './client.ts'
import { password, people, type ApiClient, type PersonName, type World } from './world.ts'

export const factorsPath = '/api/v1/auth/factors'
export const stepTwo = '/api/v1/auth/login/second-factor'
export const stepMs = 30_000

/** Begins an enrolment. */
export const beginEnrolment = (
  voice: Pick<ApiClient, 'post'>,
  kind: 'totp' | 'passkey' = 'totp',
  name = 'Phone',
): Promise<Reply> => voice.post(factorsPath, { kind, name, password })

/** What the application shows at that time. */
export const codeOf = (uri: string, timestamp: number): string =>
  (URI.parse(uri) as TOTP).generate({ timestamp })

export type Enrolled = {
  id: string
  recoveryCodes: string[]
  /** The code of now, or of some steps later. */
  code(steps?: number): string
}

/** Enrols one-time codes. The code of the present step is used up by it. */
export async function enrolTotp(bank: World, voice: Pick<ApiClient, 'post'>): Promise<Enrolled> {
  const begun = await beginEnrolment(voice)
  if (begun.status !== 201) throw new Error(`not enrolled: ${begun.text}`)
  const { id, totp } = begun.body as { id: string; totp: { uri: string } }
  const code = (steps = 0) => codeOf(totp.uri, bank.clock.now() + steps * stepMs)
  const done = await voice.post(`${factorsPath}/${id}/activate`, { code: code() })
  if (done.status !== 200) throw new Error(`not activated: ${done.text}`)
  return { id, recoveryCodes: done.body.recoveryCodes as string[], code }
}

/** Step one of a login. */
export const logInByPassword = (bank: Pick<World, 'send'>, name: PersonName): Promise<Reply> =>
  bank.send('POST', '/api/v1/auth/login', {
    body: { username: people[name].username, password },
  })

/** The identifier of the challenge that step one is refused with. */
export async function challengeOf(bank: Pick<World, 'send'>, name: PersonName): Promise<string> {
  const { body, text } = await logInByPassword(bank, name)
  if (body.code !== 'second_factor_required') throw new Error(`no challenge: ${text}`)
  return body.challenge.id as string
}

export const answer = (
  bank: Pick<World, 'send'>,
  challengeId: string,
  proof: object,
): Promise<Reply> => bank.send('POST', stepTwo, { body: { challengeId, ...proof } })
