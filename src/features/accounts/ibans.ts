// Where a new account gets its IBAN: from the numbers that a sponsor bank has handed out, from the
// next of few, or at random from many.
import { type Config, ownBanks } from '../../config/config.ts'
import { type Db, one, statement } from '../../database/statements/statement.ts'
import { toPattern } from '../../domain/bban.ts'
import { refuse } from '../../domain/errors.ts'
import { countFreeDigits, newIban, toIban } from '../../domain/iban.ts'

/** Gives the IBAN of a new account, in the transaction that opens it. */
export type IbanSource = (tx: Db) => string | Promise<string>

/** From so many digits on, a random number is nearly always free: of 10 million and more. */
const randomDigitsMin = 7

/** An operator has to add numbers first. */
const emptyRetrySeconds = 60

/**
 * How accounts of this bank get their numbers. Refuses with `unavailable` when none is left: a
 * number that the bank does not have would be a promise that no payment reaches.
 */
export function ibanSource(
  config: Pick<Config, 'bank' | 'bankAlso' | 'bankCheck' | 'ibans'>,
): IbanSource {
  const { ibans } = config
  const bank = { ...config.bank, check: config.bankCheck }
  const refuseEmpty = (because = 'no IBAN is left') =>
    refuse('unavailable', { outage: 'ibans', retryAfter: emptyRetrySeconds, because })
  if (ibans === 'pool') {
    const patterns = ownPatterns(config)
    return async (tx) => (await one(tx, takePooled, [patterns]))?.iban ?? refuseEmpty()
  }
  const digits = countFreeDigits(bank)
  if (digits >= randomDigitsMin) return () => newIban(bank) ?? refuseEmpty('no IBAN was drawn')
  const key = `${bank.country}/${bank.prefix}`
  return async (tx) => {
    const { next } = (await one(tx, lockNext, [key])) ?? { next: 0 }
    for (let from = next; from < 10 ** digits; from += candidatesMax) {
      const count = Math.min(candidatesMax, 10 ** digits - from)
      const numbers = Array.from({ length: count }, (_, index) => from + index)
      const candidates = numbers.map(
        (number) => toIban(bank, `${number}`.padStart(digits, '0')) ?? '',
      )
      const found = await one(tx, firstFree, [candidates])
      if (found === undefined) continue
      await tx.run(writeNext, [key, BigInt(from + found.place)])
      return found.iban
    }
    return refuseEmpty()
  }
}

/** What numbers of this bank are like, for `iban like any`. */
export const ownPatterns = (config: Pick<Config, 'bank' | 'bankAlso'>): string[] =>
  ownBanks(config).map(toPattern)

/** Numbers of a bank that the settings name no longer stay behind: this bank cannot use them. */
const takePooled = statement(
  'ibans_take_pooled',
  ['text[]'],
  { iban: 'text' },
  `delete from iban_pool where position = (
     select position from iban_pool p
     where p.iban like any($1)
       and not exists (select from accounts a where a.iban = p.iban)
     order by position limit 1 for update skip locked
   ) returning iban`,
)

const removePooled = statement(
  'ibans_remove_pooled',
  ['text'],
  'delete from iban_pool where iban = $1',
)
/** A number that is given to an account is not handed out again. */
export const withdrawPooled = (tx: Db, iban: string) => tx.run(removePooled, [iban])

/** Accounts of one bank code are opened one after the other from here on. */
const lockNext = statement(
  'ibans_lock_next',
  ['text'],
  { next: 'int4' },
  `insert into iban_sequences (bank, next_number) values ($1, 0)
   on conflict (bank) do update set next_number = iban_sequences.next_number
   returning next_number::int4 as next`,
)

/** How many numbers are looked at in one statement: some have no check digit, some are taken. */
const candidatesMax = 1000

const firstFree = statement(
  'ibans_first_free',
  ['text[]'],
  { iban: 'text', place: 'int4' },
  `select c.iban, c.place::int4 from unnest($1::text[]) with ordinality as c (iban, place)
   where c.iban <> '' and not exists (select from accounts a where a.iban = c.iban)
   order by c.place limit 1`,
)

/** The place counts from one: it is that of the number after. */
const writeNext = statement(
  'ibans_write_next',
  ['text', 'int8'],
  'update iban_sequences set next_number = $2 where bank = $1',
)

const addPooled = statement(
  'ibans_add_pooled',
  ['text[]'],
  { iban: 'text' },
  `insert into iban_pool (iban)
   select n.iban from unnest($1::text[]) with ordinality as n (iban, place)
   where not exists (select from accounts a where a.iban = n.iban)
   order by n.place on conflict (iban) do nothing returning iban`,
)
/** Adds numbers in their order. Gives how many are new: no account and no pool had them. */
export const addToPool = async (tx: Db, ibans: readonly string[]): Promise<number> =>
  (await tx.run(addPooled, [[...ibans]])).length

const countPooled = statement(
  'ibans_count_pooled',
  ['text[]'],
  { count: 'int4' },
  'select count(*)::int4 as count from iban_pool where iban like any($1)',
)
/** How many numbers are left that accounts can get. */
export const countPool = async (db: Db, patterns: string[]): Promise<number> =>
  (await one(db, countPooled, [patterns]))?.count ?? 0

const findForeign = statement(
  'ibans_find_foreign',
  ['text[]'],
  { iban: 'text' },
  `select iban from accounts
   where kind = 'customer' and status <> 'closed' and not (iban like any($1::text[])) limit 1`,
)
/** An open account's IBAN that is of none of these banks. Reads all accounts: for a start. */
export const findForeignIban = async (db: Db, patterns: string[]): Promise<string | undefined> =>
  (await one(db, findForeign, [patterns]))?.iban
