// Wide limits, for tests that are not about limits.

const classes = Object.fromEntries([
  ...'read sensitive admin transfer export service refresh confirm docs'
    .split(' ')
    .map((name) => [name, { burst: '1000000/1s', sustained: '100000000/1h' }]),
  [
    'login',
    { failedPerAddress: '9999999/1m', failedPerUsername: '9999999/1m', attempts: '9999999/1h' },
  ],
  ['factor', { failedPerUser: '9999999/1h' }],
  ['reset', { perEmail: '1000000/1h', perAddress: '1000000/1h' }],
  ['docs', { burst: '1000000/1s', sustained: '1000000/1h' }],
  ['address', { burst: '100000/1s' }],
  ['badTokens', { burst: '100000/1m' }],
])

/** Limits that such a test does not reach, as the setting `LIMITS`. */
export const wide = JSON.stringify({
  ...classes,
  payeeCheck: { burst: '1000000/1m', sustained: '100000000/1d' },
  payeeAnswer: { burst: '1000000/1s', sustained: '100000000/1d' },
  payeeGuess: { perIban: '9999999/1h' },
  invitation: { burst: '1000000/1m', sustained: '100000000/1d' },
  issuer: { burst: '1000000/1s', sustained: '1000000/1h' },
  files: { burst: '1000000/1s', sustained: '1000000/1h' },
})

/** The same, with the classes that only the previous release knows. */
export const formerWide = JSON.stringify(classes)
