// The mails about payment drafts: queued for each person that they concern, and what they tell.
import { insertInto } from '../../database/statements/rows.ts'
import { currencyText, type Db, one, statement } from '../../database/statements/statement.ts'
import { nameOrNull } from './about-sql.ts'
import { isDueNow, newMail, newMailColumns } from './sql.ts'

const insertOfDraft = insertInto(
  'mail_insert_of_draft',
  'mails',
  { ...newMailColumns, userId: 'uuid', draftId: 'uuid' },
  { ...isDueNow, where: 'not mail_is_unwanted(:userId, :kind, :createdAt)' },
)
/** One to each of these people. The ledger queues those of paid drafts. */
export async function queueDraftMails(
  tx: Db,
  kind: 'draft-waiting' | 'draft-ended',
  { draftId, people }: { draftId: string; people: readonly string[] },
  now: number,
): Promise<void> {
  for (const userId of people) await insertOfDraft(tx, { ...newMail(kind, now), userId, draftId })
}

const readOfDraft = statement(
  'mail_read_draft',
  ['uuid'],
  {
    amount: 'int8',
    currency: currencyText,
    iban: 'text',
    payeeIban: 'text?',
    makerName: 'text?',
    signerNames: 'text[]',
  },
  `select d.amount, a.currency, a.iban, coalesce(b.iban, t.iban) as "payeeIban",
     ${nameOrNull} as "makerName",
     array(
       select coalesce(${nameOrNull}, '') from draft_signatures s
       left join users u on u.id = s.person_id
       where s.draft_id = d.id and s.person_id is distinct from d.maker_id
       order by s.signed_at, s.person_id
     ) as "signerNames"
   from payment_drafts d
   join accounts a on a.id = d.account_id
   left join users u on u.id = d.maker_id
   left join beneficiaries b on b.id = d.beneficiary_id
   left join accounts t on t.id = d.to_account_id
   where d.id = $1`,
)
export async function readDraftOf(db: Db, id: string) {
  const row = await one(db, readOfDraft, [id])
  return row && { ...row, signerNames: (row.signerNames as string[]).map((name) => name || null) }
}
