// Endpoints of payment drafts: one person prepares a payment, and others sign it.
import { AccountId, PaymentDraftId } from '../../domain/ids.ts'
import { closed, Nothing } from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { keyRefusals } from '../../http/repeats.ts'
import { route } from '../../http/route.ts'
import { readAccount, requireOpen } from '../accounts/sql.ts'
import { requireOn } from '../../gate/members.ts'
import { payeeRefusals } from '../payee-checks/carried.ts'
import { makeOnce, showDraft } from './making.ts'
import { Draft, NewDraft, toDraft } from './schemas.ts'
import { cancel, showSigned, sign } from './signing.ts'
import { draftById, draftsByAccount, draftsMax, draftsToSign } from './sql.ts'

const readers = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const
const access = { customer: 'own' } as const
const ofAccount = closed({ accountId: AccountId })
const byId = closed({ id: PaymentDraftId })

const create = route({
  method: 'POST',
  path: '/api/v1/accounts/:accountId/drafts',
  operation: 'createDraft',
  summary:
    'Prepare a payment for others to sign. Its terms do not change. A person that may pay so ' +
    'much signs it by making it, and confirms it, or else after another one. It expires after 30 ' +
    `days, or 7 days after its first signature. An account has at most ${draftsMax} drafts that ` +
    'wait.',
  access,
  member: 'prepare',
  confirm: showDraft,
  confirmsSome: true,
  limit: 'transfer',
  params: ofAccount,
  body: NewDraft,
  reply: { 201: Draft },
  refusals: [
    'not_found',
    'account_frozen',
    'beneficiary_inactive',
    'currency_mismatch',
    'limit_exceeded',
    ...payeeRefusals,
    ...keyRefusals,
  ],
  example: {
    beneficiaryId: '01890a5d-ac96-774b-bcce-b302099a8059',
    amount: '1250.00',
    currency: 'EUR',
    reference: 'Invoice 1017',
  },
  handle: makeOnce,
})

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/drafts',
  operation: 'listDrafts',
  summary: 'List the payment drafts of an account, ended ones included, newest first.',
  access: readers,
  member: 'view',
  limit: 'read',
  params: ofAccount,
  query: closed(pageQuery),
  reply: { 200: listSchema(Draft) },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ params: { accountId }, db, now, page, row, service }) {
    requireOn(service)
    requireOpen(row)
    return page({
      fetch: (after, count) => draftsByAccount(db, accountId, after, count),
      toItem: (draft) => toDraft(draft, now),
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/drafts/:id',
  operation: 'getDraft',
  summary: 'Read a payment draft.',
  access: readers,
  member: 'view',
  limit: 'read',
  params: byId,
  reply: { 200: Draft },
  refusals: ['not_found'],
  async handle({ params: { id }, db, now, service }) {
    requireOn(service)
    return toDraft(await draftById(db, id), now)
  },
})

const inbox = route({
  method: 'GET',
  path: '/api/v1/me/signatures',
  operation: 'listDraftsToSign',
  summary: 'List the payment drafts that wait for your signature, on all accounts, newest first.',
  access: { customer: 'self' },
  limit: 'read',
  query: closed(pageQuery),
  reply: { 200: listSchema(Draft) },
  async handle({ caller, db, now, page, service }) {
    requireOn(service)
    return page({
      fetch: (after, count) => draftsToSign(db, caller.userId, { after, count, now }),
      toItem: (draft) => toDraft(draft, now),
    })
  },
})

const signing = route({
  method: 'POST',
  path: '/api/v1/drafts/:id/sign',
  operation: 'signDraft',
  summary:
    'Sign a payment draft. It is paid with its last signature: by one person that may pay, or ' +
    'from the amount on that two people sign, by two. Nobody signs twice, and its maker not ' +
    'first. What a member signs counts to its limit of that day until the draft ends unpaid.',
  access,
  member: 'pay',
  confirm: showSigned,
  limit: 'transfer',
  params: byId,
  reply: { 200: Draft },
  refusals: [
    'not_found',
    'account_closed',
    'account_frozen',
    'beneficiary_cooling',
    'beneficiary_inactive',
    'credits_blocked',
    'currency_mismatch',
    'debits_blocked',
    'illegal_transition',
    'insufficient_funds',
    'limit_exceeded',
    'payee_check_required',
    'signature_required',
  ],
  handle: sign,
})

const remove = route({
  method: 'DELETE',
  path: '/api/v1/drafts/:id',
  operation: 'cancelDraft',
  summary:
    'Cancel a payment draft that waits: by its maker, or by a person that may pay. Its reference ' +
    'is erased. One of a frozen account too.',
  access,
  member: 'prepare',
  limit: 'sensitive',
  params: byId,
  reply: { 204: Nothing },
  refusals: ['not_found', 'illegal_transition'],
  handle: cancel,
})

export const draftRoutes = [create, list, read, inbox, signing, remove]
