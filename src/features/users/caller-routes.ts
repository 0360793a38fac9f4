// What staff read of a person who calls: payees and second factors.
import { Type } from '../../domain/type.ts'
import { factorPolicies } from '../../config/config.ts'
import { refuse } from '../../domain/errors.ts'
import { UserId } from '../../domain/ids.ts'
import { closed, named, oneOf } from '../../domain/schema.ts'
import { findFactorPolicy, type Role } from '../../gate/roles.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { route } from '../../http/route.ts'
import { userById } from './sql.ts'
import { Beneficiary, toBeneficiary } from '../beneficiaries/schemas.ts'
import { beneficiariesOfOwner } from '../beneficiaries/sql.ts'
import { recoveryCodesCount } from '../factors/recovery.ts'
import { Factor, factorsMax, toFactor } from '../factors/schemas.ts'
import { activeFactors, codesLeft } from '../factors/sql.ts'

const listBeneficiaries = route({
  method: 'GET',
  path: '/api/v1/admin/users/:userId/beneficiaries',
  operation: 'listUserBeneficiaries',
  summary: 'List the beneficiaries of all open accounts of a person, newest first.',
  access: { 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ userId: UserId }),
  query: closed(pageQuery),
  reply: { 200: listSchema(Beneficiary) },
  refusals: ['not_found'],
  async handle({ params: { userId }, db, page }) {
    if (!(await userById(db, userId))) refuse('not_found')
    return page({
      fetch: (after, count) => beneficiariesOfOwner(db, userId, undefined, { after, count }),
      toItem: toBeneficiary,
    })
  },
})

const listFactors = route({
  method: 'GET',
  path: '/api/v1/admin/users/:userId/factors',
  operation: 'listUserFactors',
  summary: 'List the second factors of a person, oldest first, and how many codes are left.',
  access: { 'support-agent': 'any', admin: 'any' },
  limit: 'read',
  params: closed({ userId: UserId }),
  reply: {
    200: named('UserFactors', {
      factors: Type.Array(Factor, { maxItems: factorsMax }),
      recoveryCodesLeft: Type.Integer({ minimum: 0, maximum: recoveryCodesCount }),
      policy: oneOf(factorPolicies),
    }),
  },
  refusals: ['not_found'],
  async handle({ params: { userId }, db, service }) {
    const { roles } = (await userById(db, userId)) ?? refuse('not_found')
    const factors = (await activeFactors(db, userId)).map(toFactor)
    const policy = findFactorPolicy(service.config.secondFactor, roles as Role[])
    return { factors, recoveryCodesLeft: await codesLeft(db, userId), policy }
  },
})

export const callerRoutes = [listBeneficiaries, listFactors]
