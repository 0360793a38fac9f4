// The texts in English of signing in and of passwords.

export const texts = {
  signIn: {
    title: 'Sign in',
    note: (host: string) => `${host} · We never ask for your password by mail or on the phone.`,
    username: 'User name or e-mail address',
    forgot: 'Forgot your password?',
    help: 'Help and contact',
    byPasskey: 'Sign in with a passkey',
    byIssuer: 'Staff: sign in at the identity provider',
    confirmed: 'It is confirmed. You can close this page and go on in the other one.',
    ended: {
      idle: 'You were signed out because nothing happened for a while.',
      expired: 'Your session has ended. Please sign in again.',
      revoked: 'Your session was ended from elsewhere. If that was not you, change your password.',
      signedOut: 'You have signed out.',
      mayBeOpen: 'The bank could not be reached. You may still be signed in.',
      passwordSet: 'Your password is set. Sign in with it.',
      emailProved: 'Your e-mail address is changed. Sign in again.',
    },
  },
  password: {
    label: 'Password',
    show: 'Show password',
    rules: '12 to 128 characters, without the user name. A sentence is easy to remember.',
    short: 'This password has fewer than 12 characters.',
    long: 'This password has more than 128 characters.',
    named: 'This password contains the user name.',
    common:
      'This password is too common: it is a known one, with digits or signs around it too, or repeats itself.',
    new: 'New password',
  },
}
