// Endpoints of beneficiaries. They are the customer's own business: staff have no part in it.
import { isValidIBAN } from 'ibantools'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { transaction } from '../../database/transaction.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId, BeneficiaryId, newId } from '../../domain/ids.ts'
import { Answer, route } from '../../http/route.ts'
import { closed, Nothing } from '../../domain/schema.ts'
import { Beneficiary, NewBeneficiary, toBeneficiary } from './schemas.ts'
import {
  addBeneficiary,
  beneficiariesByAccount,
  beneficiaryById,
  deleteBeneficiary,
  setStatus,
} from './sql.ts'

const access = { customer: 'own' } as const
const ofAccount = closed({ accountId: AccountId })
const byId = closed({ id: BeneficiaryId })

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/beneficiaries',
  operation: 'listAccountBeneficiaries',
  summary: 'List the beneficiaries of an account, deactivated ones too, newest first.',
  access,
  limit: 'read',
  params: ofAccount,
  query: closed(pageQuery),
  reply: { 200: listSchema(Beneficiary) },
  refusals: ['not_found'],
  async handle({ params: { accountId }, db, page }) {
    return page({
      fetch: (after, count) => beneficiariesByAccount(db, accountId, after, count),
      toItem: toBeneficiary,
    })
  },
})

const add = route({
  method: 'POST',
  path: '/api/v1/accounts/:accountId/beneficiaries',
  operation: 'createAccountBeneficiary',
  summary: 'Add a beneficiary, at this bank or another: whom the account may pay.',
  access,
  limit: 'sensitive',
  params: ofAccount,
  body: NewBeneficiary,
  reply: { 201: Beneficiary },
  refusals: ['not_found', 'account_frozen', 'already_exists'],
  example: { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555', nickname: 'Rent' },
  async handle({ params: { accountId }, body, db, now, record }) {
    const { name, iban, nickname = null } = body
    // The schema admits the electronic form alone; the library knows what each country gives out.
    if (!isValidIBAN(iban)) invalid('/body/iban', 'is not an IBAN')
    const added = await transaction(db, async (tx) => {
      const wanted = { id: newId(now), accountId, name, iban, nickname, now }
      const made = (await addBeneficiary(tx, wanted)) ?? refuse('not_found')
      if (made === 'own iban') invalid('/body/iban', 'is that of the account itself')
      await record(tx, { target: made.id })
      return made
    })
    return new Answer(toBeneficiary(added), { location: `/api/v1/beneficiaries/${added.id}` })
  },
})

const readNested = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/beneficiaries/:beneficiaryId',
  operation: 'getAccountBeneficiary',
  summary: 'Read a beneficiary of an account.',
  access,
  limit: 'read',
  params: closed({ accountId: AccountId, beneficiaryId: BeneficiaryId }),
  reply: { 200: Beneficiary },
  refusals: ['not_found'],
  async handle({ params, db }) {
    return toBeneficiary((await beneficiaryById(db, params.beneficiaryId)) ?? refuse('not_found'))
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/beneficiaries/:id',
  operation: 'getBeneficiary',
  summary: 'Read a beneficiary.',
  access,
  limit: 'read',
  params: byId,
  reply: { 200: Beneficiary },
  refusals: ['not_found'],
  async handle({ params, db }) {
    return toBeneficiary((await beneficiaryById(db, params.id)) ?? refuse('not_found'))
  },
})

const remove = route({
  method: 'DELETE',
  path: '/api/v1/beneficiaries/:id',
  operation: 'deleteBeneficiary',
  summary: 'Delete a beneficiary for good; its personal data is erased.',
  access,
  limit: 'sensitive',
  params: byId,
  reply: { 204: Nothing },
  refusals: ['not_found', 'account_frozen'],
  async handle({ params, db }) {
    if (!(await transaction(db, (tx) => deleteBeneficiary(tx, params.id)))) refuse('not_found')
  },
})

const deactivate = route({
  method: 'POST',
  path: '/api/v1/beneficiaries/:id/deactivate',
  operation: 'postBeneficiaryDeactivate',
  summary: 'Deactivate a beneficiary: it cannot be paid until it is reactivated.',
  access,
  limit: 'sensitive',
  params: byId,
  reply: { 200: Beneficiary },
  refusals: ['not_found', 'account_frozen'],
  async handle({ params, db }) {
    const written = await transaction(db, (tx) => setStatus(tx, params.id, 'deactivated'))
    return toBeneficiary(written ?? refuse('not_found'))
  },
})

const reactivate = route({
  method: 'POST',
  path: '/api/v1/beneficiaries/:id/reactivate',
  operation: 'postBeneficiaryReactivate',
  summary: 'Reactivate a beneficiary that was deactivated.',
  access,
  limit: 'sensitive',
  params: byId,
  reply: { 200: Beneficiary },
  refusals: ['not_found', 'account_frozen'],
  async handle({ params, db }) {
    const written = await transaction(db, (tx) => setStatus(tx, params.id, 'active'))
    return toBeneficiary(written ?? refuse('not_found'))
  },
})

export const beneficiaryRoutes = [list, add, readNested, read, remove, deactivate, reactivate]
