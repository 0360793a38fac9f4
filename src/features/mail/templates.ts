// The text of every mail: plain and short, in lines that no mail program has to break.
import { type Currency, formatAmount } from '../../domain/money.ts'
import { alertsPerHour, type MailKind } from './sql.ts'
import { LoggedError } from '../../domain/logged-error.ts'

/** What a mail may say about its recipient. */
export type Addressee = { username: string; givenName: string }

/** The token of a link that sets a password or replaces factors, and its expiry. */
export type Link = { token: string; expiresAt: number }

/** A payment as its payer is told of it. Only the last four characters of an IBAN are told. */
export type Payment = { amount: bigint; currency: string; iban: string; payeeIban: string | null }

/** What a mail is about. */
export type About = {
  publicUrl: string
  bankName: string
  /** When it happened, in milliseconds since the epoch. */
  at: number
  link?: Link | undefined
  payment?: Payment | undefined
}

export type MailText = { subject: string; text: string }

/** `09:30 UTC on 2 January 2026` */
function timeText(milliseconds: number): string {
  const parts = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(milliseconds)
  const time = parts({ hour: '2-digit', minute: '2-digit' })
  return `${time} UTC on ${parts({ day: 'numeric', month: 'long', year: 'numeric' })}`
}

/**
 * The paragraph of a link: always at the configured origin, whatever a request says. The token is
 * in the fragment, which a browser does not send, so it reaches no log on the way.
 */
function linkText(publicUrl: string, link: Link | undefined): string {
  const { token, expiresAt } = needLink(link)
  return `${publicUrl}/portal/reset#token=${token}

It works once, until ${timeText(expiresAt)}.`
}

function needLink(link: Link | undefined): Link {
  if (!link) throw new LoggedError('This mail needs a link')
  return link
}

const forPrograms = (publicUrl: string): string =>
  `An application sends what follows "token=" in the link as "token", with a
"newPassword", to
${publicUrl}/api/v1/auth/password-reset/confirm`

function paymentText({ payment, at }: About): string {
  if (!payment) throw new LoggedError('This mail needs a payment')
  const { amount, currency, iban, payeeIban } = payment
  const sum = `${formatAmount(amount, currency as Currency)} ${currency}`
  const way = payeeIban === null ? 'in cash' : `to an account that ends in ${payeeIban.slice(-4)}`
  return `${sum} left your account that ends in ${iban.slice(-4)}
at ${timeText(at)}, ${way}.`
}

const render: Record<MailKind, (to: Addressee, about: About) => MailText> = {
  reset: ({ username }, { publicUrl, link }) => ({
    subject: 'Set a new password',
    text: `somebody, probably you, asked to set a new password for your user name
${username}. To choose one, open this link:

${linkText(publicUrl, link)} A newer link
makes it void. When the new password is set, you are logged out everywhere.

If it was not you, do nothing: your password stays as it is. Nobody at the
bank will ever ask you for this link.

${forPrograms(publicUrl)}`,
  }),
  invitation: ({ username }, { publicUrl, link }) => ({
    subject: 'Welcome: choose your password',
    text: `you can now use the bank. Your user name is ${username}.
To choose your password, open this link:

${linkText(publicUrl, link)} After that,
ask for a new link as if you had forgotten the password. Nobody at the bank
will ever ask you for this link.

${forPrograms(publicUrl)}`,
  }),
  'password-changed': ({ username }) => ({
    subject: 'Your password was changed',
    text: `the password of your user name ${username} was just changed,
and other devices were logged out.

If it was you, there is nothing to do. If it was not, ask for a new password
at once with "forgotten password" and tell the bank.`,
  }),
  'email-changed': ({ username }) => ({
    subject: 'Your e-mail address was changed',
    text: `the bank has changed the e-mail address of your user name
${username}.
Mails go to the new address from now on. You were logged out everywhere, and
links to set a password that were sent here are void.

If you asked the bank for this, there is nothing to do. If you did not, tell
the bank at once.`,
  }),
  // Without the user name: the address may have been mistyped.
  'email-set': () => ({
    subject: 'This is your e-mail address now',
    text: `the bank has noted this e-mail address as yours. Mails go here from now on.
You were logged out everywhere.

If you did not ask the bank for this, tell the bank at once.`,
  }),
  'new-device': ({ username }, { at }) => ({
    subject: 'A login from a new device',
    text: `your user name ${username} was used to log in
at ${timeText(at)},
with a device or a program that the bank did not know.

If it was you, there is nothing to do. If it was not, ask for a new password
at once with "forgotten password", which logs out all devices, and tell the
bank.`,
  }),
  'phone-changed': (_to, { at }) => ({
    subject: 'A phone number was changed',
    text: `the bank has changed a phone number that it has of you or registered for
one of your accounts, at ${timeText(at)}.

If you asked the bank for this, there is nothing to do. If you did not, tell
the bank at once.`,
  }),
  payment: (_to, about) => ({
    subject: 'A payment left your account',
    text: `${paymentText(about)}

If it was you, there is nothing to do. If it was not, tell the bank at once.`,
  }),
  'alerts-paused': () => ({
    subject: 'Many alerts within an hour',
    text: `there were more than ${alertsPerHour} alerts of one kind for you within an hour: logins
from new devices, payments, or changes of a phone number. You are not sent
more of that kind until the hour is over.

Look at your accounts and at your logins. If you do not know why there are so
many, tell the bank at once.`,
  }),
  'webhook-disabled': (_to, { publicUrl, at }) => ({
    subject: 'A webhook was disabled',
    text: `a webhook of the bank was disabled at
${timeText(at)}:
its target has answered that it is gone, or all deliveries to it have failed
for five days. Nothing is sent to it until an administrator enables it again.
Which one it is, and why, is shown at
${publicUrl}/api/v1/admin/webhooks`,
  }),
  'factor-added': ({ username }, { at }) => ({
    subject: 'A second factor was added',
    text: `a second factor was added to your user name ${username}
at ${timeText(at)}, and other devices were logged out.
Each login asks for one of your second factors from now on.

If it was you, there is nothing to do. If it was not, tell the bank at once.`,
  }),
  'factor-removed': ({ username }, { at }) => ({
    subject: 'A second factor was removed',
    text: `a second factor was removed from your user name ${username}
at ${timeText(at)}, and other devices were logged out.

If it was you, there is nothing to do. If it was not, tell the bank at once.`,
  }),
  'recovery-codes-made': ({ username }, { at }) => ({
    subject: 'New recovery codes were made',
    text: `new recovery codes were made for your user name ${username}
at ${timeText(at)}. Earlier ones are void.

If it was you, there is nothing to do. If it was not, tell the bank at once.`,
  }),
  'recovery-code-used': ({ username }, { at }) => ({
    subject: 'A login without your second factor',
    text: `your user name ${username} was used to log in
at ${timeText(at)},
with the password and a recovery code or a link from the bank, in place of a
second factor. That login can only add a new second factor. For 24 hours,
nothing is paid to beneficiaries that are added from now on.

If it was you, there is nothing to do. If it was not, ask for a new password
at once with "forgotten password", and tell the bank.`,
  }),
  'factor-reset': ({ username }, { publicUrl, link }) => ({
    subject: 'Replace your second factor',
    text: `the bank lets you replace the second factors of your user name
${username}. You were logged out everywhere.
Log in with this link and your password, and enrol a new second factor; it
takes the place of all others:

${publicUrl}/portal/factor-reset#token=${needLink(link).token}

It works once, until ${timeText(needLink(link).expiresAt)}. Nobody at the bank
will ever ask you for this link.

If you did not ask the bank for this, tell the bank at once: somebody may try
to take over your accounts.

An application logs in with the password, and sends what follows "token=" in
the link as "recoveryToken", with the "challengeId" of the login, to
${publicUrl}/api/v1/auth/login/second-factor`,
  }),
  'wrong-factor': ({ username }, { at }) => ({
    subject: 'A wrong second factor',
    text: `a second factor that is not right was given for your user name
${username}
at ${timeText(at)},
after your password or in one of your sessions. Nothing was done with it. For an
hour you are not told of further ones.

If it was you, there is nothing to do. If it was not, somebody knows your
password or uses a session of yours: ask for a new password at once with
"forgotten password", which logs out all devices, and tell the bank.`,
  }),
  'codes-refused': ({ username }, { at }) => ({
    subject: 'One-time codes are refused',
    text: `too many one-time codes were wrong in a row for your user name
${username}, after the right password, until
${timeText(at)}.
At a login all codes are refused now, the right ones too, but not on a device
from which you have logged in before.

Somebody may know your password: set a new one with "forgotten password". Codes
are taken again after that, and also after a login with a passkey or a recovery
code. If none of these helps, ask the bank to let you replace your second factor.`,
  }),
}

/** The subject and text of a mail. Throws when it is not given the link or payment it needs. */
export function renderMail(kind: MailKind, to: Addressee, about: About): MailText {
  const { subject, text } = render[kind](to, about)
  return { subject, text: `Hello ${to.givenName},\n\n${text}\n\n${about.bankName}\n` }
}
