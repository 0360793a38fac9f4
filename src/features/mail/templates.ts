// The words of every mail: plain text, short, in lines that no mail program has to break.
import type { MailKind } from './sql.ts'

/** What a mail may say of whom it is for. */
export type Addressee = { username: string; givenName: string }

/** A link that sets a password, and until when. */
export type Link = { token: string; expiresAt: number }

export type Letter = { subject: string; text: string }

/**
 * Where a link leads: always the configured origin, whatever a request says of itself. The token
 * stands in the fragment, which a browser sends to nobody, so it is in no log on the way.
 */
const linkAddress = (publicUrl: string, { token }: Link): string =>
  `${publicUrl}/portal/reset#token=${token}`

/** `09:30 UTC on 2 January 2026` */
function timeText(milliseconds: number): string {
  const parts = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(milliseconds)
  const time = parts({ hour: '2-digit', minute: '2-digit' })
  return `${time} UTC on ${parts({ day: 'numeric', month: 'long', year: 'numeric' })}`
}

const forPrograms = (publicUrl: string): string[] => [
  'An application sends what follows "token=" in the link as "token", with a',
  '"newPassword", to',
  `${publicUrl}/api/v1/auth/password-reset/confirm`,
]

const paragraphs = (...all: (string | string[])[]): string =>
  `${all.map((part) => (typeof part === 'string' ? part : part.join('\n'))).join('\n\n')}\n`

type Writer = (to: Addressee, publicUrl: string, link: Link | undefined) => Letter

const withLink = (link: Link | undefined): Link => {
  if (!link) throw new Error('This mail needs a link')
  return link
}

const writers: Record<MailKind, Writer> = {
  reset(to, publicUrl, given) {
    const link = withLink(given)
    const text = paragraphs(
      `Hello ${to.givenName},`,
      [
        'somebody, probably you, asked to set a new password for your user name',
        `${to.username}. To choose one, open this link:`,
      ],
      linkAddress(publicUrl, link),
      [
        `It works once, until ${timeText(link.expiresAt)}. A newer link`,
        'makes it void. When the new password is set, you are logged out everywhere.',
      ],
      [
        'If it was not you, do nothing: your password stays as it is. Nobody at the',
        'bank will ever ask you for this link.',
      ],
      forPrograms(publicUrl),
      'Strongroom',
    )
    return { subject: 'Set a new password', text }
  },
  invitation(to, publicUrl, given) {
    const link = withLink(given)
    const text = paragraphs(
      `Hello ${to.givenName},`,
      [
        `you can now use the bank. Your user name is ${to.username}.`,
        'To choose your password, open this link:',
      ],
      linkAddress(publicUrl, link),
      [
        `It works once, until ${timeText(link.expiresAt)}. After that,`,
        'ask for a new link as if you had forgotten the password. Nobody at the bank',
        'will ever ask you for this link.',
      ],
      forPrograms(publicUrl),
      'Strongroom',
    )
    return { subject: 'Welcome: choose your password', text }
  },
  'password-changed'(to) {
    const text = paragraphs(
      `Hello ${to.givenName},`,
      [
        `the password of your user name ${to.username} was just changed,`,
        'and other devices were logged out.',
      ],
      [
        'If it was you, there is nothing to do. If it was not, ask for a new password',
        'at once with "forgotten password" and tell the bank.',
      ],
      'Strongroom',
    )
    return { subject: 'Your password was changed', text }
  },
  'email-changed'(to) {
    const text = paragraphs(
      `Hello ${to.givenName},`,
      [
        'the bank has changed the e-mail address of your user name',
        `${to.username}.`,
        'Mails go to the new address from now on. You were logged out everywhere, and',
        'links to set a password that were sent here are void.',
      ],
      [
        'If you asked the bank for this, there is nothing to do. If you did not, tell',
        'the bank at once.',
      ],
      'Strongroom',
    )
    return { subject: 'Your e-mail address was changed', text }
  },
}

/** The mail of that kind. Pure. */
export const renderMail = (kind: MailKind, to: Addressee, publicUrl: string, link?: Link): Letter =>
  writers[kind](to, publicUrl, link)
