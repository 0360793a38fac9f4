// The texts in English of a person's own affairs: password, devices, preferences.
import { plural } from '../plural.ts'

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
  reset: {
    title: 'Set your password',
    submit: 'Set password',
    noToken: 'This page is opened by the link in a mail from the bank.',
    used: 'This link was used, is older than 30 minutes, or a newer one was sent.',
    another: 'Ask for a new link',
  },
  security: {
    title: 'Security',
    sessions: 'Where you are signed in',
    end: 'Sign out',
    endOf: (device: string) => `Sign out ${device}`,
    endOthers: 'Sign out all other devices',
    endedOthers: (count: number) => `${plural(count, 'device was', 'devices were')} signed out.`,
    onlyThis: 'You are signed in on this device only.',
    password: 'Change password',
    currentPassword: 'Current password',
    changed: 'Your password is changed. All other devices were signed out.',
    wrongPassword: 'This is not your current password.',
  },
  preferences: {
    title: 'Preferences',
    note: 'These are kept in this browser.',
    language: 'Language',
    auto: 'As the browser',
    timeZone: 'Time zone',
    theme: 'Appearance',
    light: 'Light',
    dark: 'Dark',
    contrast: 'High contrast',
    shortcuts: 'Single keys are shortcuts',
  },
}
