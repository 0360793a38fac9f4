// The settings of the issuer by which staff sign in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const given = {
  STRONGROOM_OIDC_ISSUER: 'https://id.bank.example/realms/staff',
  STRONGROOM_OIDC_CLIENT_ID: 'strongroom',
  STRONGROOM_OIDC_CLIENT_SECRET: 'a-secret',
}

test('the issuer is a URL that is kept letter by letter, and its claims are read in order', () => {
  for (const issuer of [
    'https://id.bank.example',
    'https://ID.bank.example/',
    'https://[::1]:8443/a',
  ]) {
    const config = readConfig({ ...given, STRONGROOM_OIDC_ISSUER: issuer })
    assert.equal(config.oidcIssuer, issuer)
  }
  const { oidcFactor } = readConfig({ ...given, STRONGROOM_OIDC_FACTOR: 'amr=mfa, acr=urn:x:2' })
  assert.deepEqual(oidcFactor, [
    { claim: 'amr', value: 'mfa' },
    { claim: 'acr', value: 'urn:x:2' },
  ])
  assert.equal(readConfig({ ...given, STRONGROOM_OIDC_STAFF: 'also' }).oidcStaff, 'also')
})

const wrong: [Record<string, string | undefined>, RegExp][] = [
  ...['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'].map((name): (typeof wrong)[number] => [
    { [`STRONGROOM_OIDC_${name}`]: undefined },
    /have to be given together/,
  ]),
  ...[
    'http://id.bank.example',
    'id.bank.example',
    'https://user:pass@id.bank.example',
    'https://id.bank.example/?a=b',
    'https://id.bank.example/#a',
    'https://id.bank.example/a b',
    'https://*.bank.example',
    `https://id.bank.example/${'x'.repeat(255)}`,
  ].map((issuer): (typeof wrong)[number] => [
    { STRONGROOM_OIDC_ISSUER: issuer },
    /STRONGROOM_OIDC_ISSUER has to be an https URL/,
  ]),
  [{ STRONGROOM_OIDC_CLIENT_ID: 'a b' }, /CLIENT_ID has to be 1 to 255/],
  [{ STRONGROOM_OIDC_CLIENT_SECRET: 'é-the-secret' }, /CLIENT_SECRET has to be 1 to 255/],
  [{ STRONGROOM_OIDC_FACTOR: 'mfa' }, /OIDC_FACTOR has to be a comma-separated list/],
  [{ STRONGROOM_OIDC_FACTOR: 'amr=' }, /OIDC_FACTOR/],
  [{ STRONGROOM_OIDC_FACTOR: 'sub=x' }, /OIDC_FACTOR/],
  [{ STRONGROOM_OIDC_STAFF: 'off' }, /OIDC_STAFF has to be one of only, also/],
  [{ STRONGROOM_PORTAL: 'off' }, /needs the portal/],
]
for (const [settings, line] of wrong) {
  test(`unusable beside an issuer: ${JSON.stringify(settings)}`, () => {
    assert.throws(
      () => readConfig({ ...given, ...settings }),
      (thrown) => {
        assert.ok(thrown instanceof ConfigError)
        assert.match(thrown.message, line)
        assert.doesNotMatch(thrown.message, /the-secret|user:pass/)
        return true
      },
    )
  })
}

test('settings of an issuer mean nothing without one, so they are refused', () => {
  for (const name of ['CA', 'FACTOR', 'STAFF']) {
    const value = { CA: '/ca.pem', FACTOR: 'amr=mfa', STAFF: 'also' }[name]
    const key = `STRONGROOM_OIDC_${name}`
    assert.throws(
      () => readConfig({ [key]: value }),
      new RegExp(`${key} needs STRONGROOM_OIDC_ISSUER`),
    )
  }
})
