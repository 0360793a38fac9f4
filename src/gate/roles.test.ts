// What roles and service accounts may do on a route: every role, grant and use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Access,
  findFactorPolicy,
  findGrant,
  findServiceGrant,
  type Grant,
  isStaff,
  lacksFactor,
  personalGrant,
  type Role,
  type ServiceGrants,
  type ServiceUse,
} from './roles.ts'

const access = { customer: 'own', 'support-agent': 'any', admin: 'self' } as const

test('of all roles of a person the strongest grant holds, and no role gives none', () => {
  for (const [roles, granted, personal] of [
    [[], undefined, undefined],
    [['customer'], 'own', 'own'],
    [['support-agent'], 'any', undefined],
    [['admin'], 'self', 'self'],
    [['customer', 'support-agent'], 'any', 'own'],
    [['admin', 'customer'], 'own', 'own'],
    [['support-agent', 'admin'], 'any', 'self'],
  ] as [Role[], Grant | undefined, Grant | undefined][]) {
    assert.equal(findGrant(access, roles), granted, roles.join())
    assert.equal(personalGrant(access, roles), personal, roles.join())
  }
  assert.equal(findGrant({ admin: 'any' }, ['customer', 'support-agent']), undefined)
})

test('a person with another role than that of a customer is of staff', () => {
  for (const [roles, expected] of [
    [[], false],
    [['customer'], false],
    [['admin'], true],
    [['customer', 'support-agent'], true],
  ] as const) {
    assert.equal(isStaff(roles), expected, roles.join())
  }
})

const policies = { customer: 'optional', 'support-agent': 'off', admin: 'required' } as const

test('of all roles of a person the strictest policy of second factors holds', () => {
  for (const [roles, expected] of [
    [[], 'off'],
    [['support-agent'], 'off'],
    [['support-agent', 'customer'], 'optional'],
    [['admin', 'customer'], 'required'],
  ] as [Role[], string][]) {
    assert.equal(findFactorPolicy(policies, roles), expected, roles.join())
  }
})

test('a second factor is lacked where it is required, from the end of its grace on', () => {
  const config = { secondFactor: policies, secondFactorGrace: 1000 }
  const person = { hasFactor: false, roles: ['admin'] as Role[], createdAt: new Date(5000) }
  for (const [more, now, expected] of [
    [{}, 5999, false],
    [{}, 6000, true],
    [{ hasFactor: true }, 6000, false],
    [{ roles: ['customer'] as Role[] }, 6000, false],
  ] as const) {
    assert.equal(lacksFactor(config, { ...person, ...more }, now), expected)
  }
})

test('a service account has the grant of its own use on a route, and none that no role has', () => {
  const none: ServiceGrants = { readsAll: false, customerId: null, payFrom: [], operations: [] }
  const ofStaff: Access = { customer: 'own', admin: 'any' }
  const ofCustomers: Access = { customer: 'own' }
  const all: ServiceGrants = {
    readsAll: true,
    customerId: 'c',
    payFrom: ['a'],
    operations: ['do', 'other'],
  }
  for (const [routeAccess, service, grants, expected] of [
    ['public', 'read', all, undefined],
    ['public', 'pay', all, undefined],
    [ofStaff, undefined, all, undefined],
    [ofStaff, 'read', none, undefined],
    [ofStaff, 'read', { ...none, readsAll: true }, 'any'],
    [ofCustomers, 'read', { ...none, readsAll: true }, undefined],
    [ofCustomers, 'read', { ...none, customerId: 'c' }, 'own'],
    [ofStaff, 'read', { ...none, customerId: 'c' }, 'own'],
    [ofStaff, 'read', { ...none, payFrom: ['a'], operations: ['do'] }, undefined],
    [ofCustomers, 'pay', none, undefined],
    [ofCustomers, 'pay', { ...all, payFrom: [] }, undefined],
    [ofCustomers, 'pay', { ...none, payFrom: ['a'] }, 'own'],
    [ofStaff, 'operation', { ...all, operations: ['other'] }, undefined],
    [ofStaff, 'operation', { ...none, operations: ['other', 'do'] }, 'any'],
    [ofCustomers, 'operation', all, undefined],
  ] as [Access, ServiceUse | undefined, ServiceGrants, Grant | undefined][]) {
    const route = { access: routeAccess, operation: 'do', service }
    assert.equal(findServiceGrant(route, grants), expected, JSON.stringify([route, grants]))
  }
})
