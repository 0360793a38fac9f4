// An example: maps what Apache Fineract exports as CSV to a folder for `strongroom import`. Adapt it.
//
//   node deploy/fineract.js <folder of the three files> <new folder>
//
// Each file is the answer of its statement to Fineract's database, with a line of names, such as by
// `psql --csv`. The sums are a statement of their own: they prove the other two.
//
//   clients.csv   select id, firstname, lastname, mobile_no, email_address from m_client
//                 where status_enum = 300
//   savings.csv   select id, client_id, currency_code, external_id as iban,
//                   account_balance_derived as balance
//                 from m_savings_account where status_enum = 300 and client_id is not null
//   totals.csv    select currency_code, count(1) as accounts, sum(account_balance_derived) as sum
//                 from m_savings_account where status_enum = 300 and client_id is not null
//                 group by currency_code
//
// Fineract has no user names: a person's is made of the number. It has no payees elsewhere either.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [source, target] = process.argv.slice(2)
if (source === undefined || target === undefined) {
  process.stderr.write('node deploy/fineract.js <folder of CSV files> <new folder>\n')
  process.exit(2)
}

/**
 * The rows of a CSV file (RFC 4180), each by the names of the first line.
 *
 * @param {string} name
 * @returns {Record<string, string>[]}
 */
function readCsv(name) {
  const text = readFileSync(join(source, name), 'utf8')
  const rows = [[]]
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '') break
    if (end !== ',') rows.push([])
  }
  const [names, ...lines] = rows.filter((row) => row.length > 1)
  return lines.map((line) => Object.fromEntries(names.map((each, index) => [each, line[index]])))
}

/** Fineract keeps six digits behind the point. Digits that are no zeros stay, and are refused. */
const toAmount = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)

const clients = readCsv('clients.csv')
const savings = readCsv('savings.csv')
const totals = readCsv('totals.csv')

const files = {
  people: clients.map((client) => ({
    sourceId: client.id,
    username: `client-${client.id}`,
    email: client.email_address,
    givenName: client.firstname,
    familyName: client.lastname,
    ...(client.mobile_no && { phone: client.mobile_no }),
  })),
  accounts: savings.map(({ id, client_id, currency_code, iban, balance }) => ({
    sourceId: id,
    owner: client_id,
    iban,
    currency: currency_code,
    // What is overdrawn today may stay so.
    ...(balance.startsWith('-') && { overdraftLimit: toAmount(balance.slice(1)) }),
  })),
  balances: savings
    .map(({ id, currency_code, balance }) => ({
      account: id,
      amount: toAmount(balance),
      currency: currency_code,
    }))
    .filter(({ amount }) => amount !== '0'),
  blocks: [],
  beneficiaries: [],
  orders: [],
  history: [],
}

mkdirSync(target, { mode: 0o700 })
const write = (name, text) => writeFileSync(join(target, name), text, { mode: 0o600 })
for (const [name, lines] of Object.entries(files)) {
  write(`${name}.ndjson`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}
const currencies = totals.map(({ currency_code, accounts, sum }) => [
  currency_code,
  { accounts: Number(accounts), sum: toAmount(sum) },
])
write(
  'totals.json',
  JSON.stringify({
    format: 'strongroom-1',
    people: clients.length,
    accounts: savings.length,
    blocks: 0,
    beneficiaries: 0,
    orders: 0,
    history: 0,
    currencies: Object.fromEntries(currencies),
  }),
)
