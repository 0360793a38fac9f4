// What the tests use of the issuer by another author, which comes without types.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Session = { accountId: string; grantIdFor(clientId: string): string | undefined }
  type Oidc = {
    client: { clientId: string }
    session: Session
    result?: { consent?: { grantId?: string } }
    entities: { AccessToken?: unknown }
  }
  type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }
  export type Login = { accountId: string; amr?: string[]; acr?: string }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    proxy: boolean
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: Login } | { error: string },
    ): Promise<void>
    Grant: { new (about: { accountId: string; clientId: string }): Grant }
    Client: {
      find(
        id: string,
      ): Promise<{ backchannelLogout(subject: string, sid?: string): Promise<unknown> } | undefined>
    }
    on(event: string, listener: (...given: unknown[]) => void): void
  }
  export type { Oidc }
}
