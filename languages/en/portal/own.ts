// The texts in English of a person's own affairs: links by mail, preferences.

export const texts = {
  forgot: {
    title: 'Forgot your password',
    intro:
      'Enter your e-mail address. If it belongs to a customer, we send a link that works for 30 minutes.',
    email: 'E-mail address',
    submit: 'Send the link',
    sent: 'If the address is known, a mail is on its way. Only the newest link works.',
    toSignIn: 'To sign in',
  },
  help: {
    title: 'Help',
    phone: 'Telephone',
    address: 'Address',
    noContact: 'Your contract and your statements say how to reach the bank.',
    never:
      'The bank never asks for your password, a code or a recovery code, neither by mail nor on the phone.',
    cases: [
      {
        title: 'You forgot your password',
        text: 'Ask for a link to set a new one. It comes by mail and works for 30 minutes.',
      },
      {
        title: 'You lost the phone or key of your second factor',
        text: 'Sign in with one of your recovery codes. If you have none left, call the bank. When it is sure that it is you, it mails you a link, by which you sign in with your password and set up a new second factor.',
      },
      {
        title: 'A card is lost or stolen',
        text: 'Freeze it at once on the page of your cards, or replace it there. If you cannot sign in, call the bank.',
      },
      {
        title: 'There is a payment that you did not make, or somebody may know your password',
        text: 'Set a new password, end all other sessions on the page Security, freeze your cards, and call the bank.',
      },
      {
        title: 'Your account or card was frozen by the bank',
        text: 'Only the bank can tell you more, and undo it. Call the bank.',
      },
    ],
  },
  reset: {
    title: 'Set your password',
    of: (username: string) => `For the user name ${username}.`,
    submit: 'Set password',
    noToken: 'This page is opened by the link in a mail from the bank.',
    used: 'This link was used, is too old, or a newer one was sent.',
    another: 'Ask for a new link',
  },
  factorReset: {
    title: 'Replace your second factor',
    intro:
      'Sign in with your user name and password. After that you set up a new second factor, which takes the place of all earlier ones.',
    noToken: 'This page is opened by the link in a mail from the bank.',
    toSignIn: 'To sign in',
  },
  emailProof: {
    title: 'Prove your e-mail address',
    intro:
      'This makes the address to which the link was mailed your e-mail address. After that you sign in again, here and on all devices.',
    submit: 'Use this address',
    noToken: 'This page is opened by the link in a mail from the bank.',
    dead: 'This link was used, is older than 30 minutes, or your request has ended. Is it yours? Sign in as yourself.',
    taken: 'Another person of the bank has this address.',
    toProfile: 'To your profile',
  },
  preferences: {
    title: 'Preferences',
    note: 'These are kept in this browser. Mails and statements follow the language.',
    language: 'Language',
    auto: 'As the browser',
    timeZone: 'Time zone',
    theme: 'Appearance',
    light: 'Light',
    dark: 'Dark',
    contrast: 'High contrast',
    shortcuts: 'Single keys are shortcuts',
  },
  profile: {
    title: 'Profile',
    name: 'Name',
    username: 'User name',
    email: 'E-mail address',
    phone: 'Phone',
    address: 'Address',
    roles: 'Roles',
    roleNames: { customer: 'Customer', 'support-agent': 'Support agent', admin: 'Administrator' },
    since: 'Since',
    note: 'Is something else of this not right? Please tell the bank: it changes it for you.',
  },
}
