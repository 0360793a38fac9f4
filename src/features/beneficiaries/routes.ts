// Endpoints of beneficiaries, for customers only.
import { isValidIBAN } from 'ibantools'
import { Type } from '../../domain/type.ts'
import { ownBanks } from '../../config/config.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { isOwnIban } from '../../domain/iban.ts'
import { AccountId, BeneficiaryId, newId } from '../../domain/ids.ts'
import { Answer, route } from '../../http/route.ts'
import { toPayeeColumns } from '../../ledger/rules/payee-check.ts'
import {
  describeCheck,
  payeeRefusals,
  readCarried,
  requireProven,
  requireSamePayee,
  showCheck,
} from '../payee-checks/carried.ts'
import { closed, Nickname, Nothing, nullable, Text } from '../../domain/schema.ts'
import { Beneficiary, NewBeneficiary, toBeneficiary } from './schemas.ts'
import {
  addBeneficiary,
  beneficiariesByAccount,
  beneficiariesOfOwner,
  beneficiaryById,
  deleteBeneficiary,
  setNickname,
  setStatus,
  setTrusted,
} from './sql.ts'

const access = { customer: 'own' } as const
const ofAccount = closed({ accountId: AccountId })
const byId = closed({ id: BeneficiaryId })

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/beneficiaries',
  operation: 'listBeneficiaries',
  summary: 'List the beneficiaries of an account, deactivated ones included, newest first.',
  access,
  service: 'read',
  member: 'view',
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

const find = route({
  method: 'GET',
  path: '/api/v1/beneficiaries',
  operation: 'findBeneficiaries',
  summary:
    'List the beneficiaries of all your open accounts, newest first; with `text`, those whose ' +
    'name, nickname or IBAN have it.',
  access: { customer: 'self' },
  limit: 'read',
  query: closed({ text: Type.Optional(Text), ...pageQuery }),
  reply: { 200: listSchema(Beneficiary) },
  async handle({ query: { text }, caller, db, page }) {
    return page({
      fetch: (after, count) => beneficiariesOfOwner(db, caller.userId, text, { after, count }),
      toItem: toBeneficiary,
    })
  },
})

const add = route({
  method: 'POST',
  path: '/api/v1/accounts/:accountId/beneficiaries',
  operation: 'createBeneficiary',
  summary:
    'Add a beneficiary whom the account may pay, at this bank or another. One at this bank ' +
    'counts as a payee check too.',
  access,
  confirm: async ({ body, caller, db }) => ({
    payee: body.name,
    iban: body.iban,
    ...showCheck(await readCarried(db, body, caller)),
  }),
  member: 'pay',
  limit: 'sensitive',
  params: ofAccount,
  body: NewBeneficiary,
  reply: { 201: Beneficiary },
  refusals: ['not_found', 'account_frozen', 'already_exists', ...payeeRefusals],
  example: { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555', nickname: 'Rent' },
  async handle({ params, body, caller, db, record, service, chargeMore }) {
    const { accountId } = params
    const { name, iban, nickname = null, trusted = false } = body
    if (!isValidIBAN(iban)) invalid('/body/iban', 'is not an IBAN')
    if (trusted && caller.actingMember) refuse('forbidden', { because: 'the owner trusts' })
    if (trusted && !caller.hasFactor) invalid('/body/trusted', 'needs a second factor')
    const check = await readCarried(db, body, caller)
    requireSamePayee(check, body)
    // What is paid to the beneficiary tells whether an account has the IBAN, as a payee check does.
    const isTold = check !== undefined || !isOwnIban(ownBanks(service.config), iban)
    if (!isTold) await chargeMore(caller.userId, 'payeeCheck')
    const added = await transaction(db, async (tx) => {
      const { payeeResult, payeeAccepted } = toPayeeColumns(check)
      // Behind the lock of the owner, as a recovery is noted: what is added since it cools down.
      const now = await databaseNow(tx, service.clock)
      const beneficiary = { id: newId(now), accountId, name, iban, nickname, trusted, now }
      const row = await addBeneficiary(tx, { ...beneficiary, payeeResult, payeeAccepted }, () =>
        requireProven(tx, check, service),
      )
      if (row === 'own iban') invalid('/body/iban', 'is that of the account itself')
      if (check) await record(tx, { target: row.id, detail: describeCheck(check) })
      return row
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
  service: 'read',
  member: 'view',
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
  service: 'read',
  member: 'view',
  limit: 'read',
  params: byId,
  reply: { 200: Beneficiary },
  refusals: ['not_found'],
  async handle({ params, db }) {
    return toBeneficiary((await beneficiaryById(db, params.id)) ?? refuse('not_found'))
  },
})

const rename = route({
  method: 'PATCH',
  path: '/api/v1/beneficiaries/:id',
  operation: 'renameBeneficiary',
  summary: 'Give a beneficiary another nickname, or none. Its name and IBAN never change.',
  access,
  limit: 'sensitive',
  params: byId,
  body: closed({ nickname: nullable(Nickname) }),
  reply: { 200: Beneficiary },
  refusals: ['not_found', 'account_frozen'],
  example: { nickname: 'Rent' },
  async handle({ params, body, db }) {
    return toBeneficiary(await transaction(db, (tx) => setNickname(tx, params.id, body.nickname)))
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
    await transaction(db, (tx) => deleteBeneficiary(tx, params.id))
  },
})

const statusRoute = (verb: 'deactivate' | 'reactivate', summary: string) =>
  route({
    method: 'POST',
    path: `/api/v1/beneficiaries/:id/${verb}`,
    operation: verb === 'deactivate' ? 'deactivateBeneficiary' : 'reactivateBeneficiary',
    summary,
    access,
    limit: 'sensitive',
    params: byId,
    reply: { 200: Beneficiary },
    refusals: ['not_found', 'account_frozen'],
    async handle({ params, db }) {
      const status = verb === 'deactivate' ? 'deactivated' : 'active'
      return toBeneficiary(await transaction(db, (tx) => setStatus(tx, params.id, status)))
    },
  })

const trustRoute = (verb: 'trust' | 'untrust', summary: string) =>
  route({
    method: 'POST',
    path: `/api/v1/beneficiaries/:id/${verb}`,
    operation: verb === 'trust' ? 'trustBeneficiary' : 'untrustBeneficiary',
    summary,
    access,
    confirm: async ({ params: { id }, db }) => {
      const { name, iban } = (await beneficiaryById(db, id)) ?? refuse('not_found')
      return { payee: name, iban }
    },
    limit: 'sensitive',
    params: byId,
    reply: { 200: Beneficiary },
    refusals: ['not_found', 'account_frozen', 'illegal_transition'],
    async handle({ params: { id }, caller, db }) {
      const isTrusted = verb === 'trust'
      // Without one nothing was confirmed that payments could rely on later.
      if (isTrusted && !caller.hasFactor) refuse('illegal_transition', { because: 'no factor' })
      return toBeneficiary(await transaction(db, (tx) => setTrusted(tx, id, isTrusted)))
    },
  })

export const trustRoutes = [
  trustRoute('trust', 'Trust a beneficiary: payments to it need no confirmation.'),
  trustRoute('untrust', 'Trust a beneficiary no more.'),
]

export const beneficiaryRoutes = [
  list,
  find,
  add,
  readNested,
  read,
  rename,
  remove,
  statusRoute(
    'deactivate',
    'Deactivate a beneficiary: it is not trusted any more, nor paid until it is reactivated.',
  ),
  statusRoute('reactivate', 'Reactivate a deactivated beneficiary.'),
  ...trustRoutes,
]
