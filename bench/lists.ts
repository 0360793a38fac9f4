// Lists of payments: how long a thousand lines take to check and to pay, what memory a file of 2 MB
// needs, and what transfers of other customers wait while a list is paid. Each line is counted at
// the end, and the ledger verified.
import { writeFile } from 'node:fs/promises'
import pg from 'pg'
import { createIban } from '../src/domain/iban.ts'
import { pain001 } from '../test/support/pain001.ts'
import { connect, type Target, toRequest, warmTokens } from './connection.ts'
import type { Case, Figures, Variant } from './harness.ts'
import { load, warmUpSeconds } from './load.ts'
import { readPeakMb } from './processes.ts'
import { choosePopulation, type Customer } from './seed.ts'
import { openService } from './service.ts'
import { uniform, verify } from './transfers.ts'

const lineCount = (isTiny: boolean): number => (isTiny ? 20 : 1000)
const fileBytes = 2_000_000
const lookMs = 10
/** Shorter than the execution of a list, so that loads end while it goes on. */
const loadSecondsMax = 1

export const open: Case = async ({ seconds, connections, isTiny, profile }) => {
  const service = await openService({ population: choosePopulation(isTiny), profile })
  const { address, customers, target, watch, pid } = service
  const count = lineCount(isTiny)
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  // Those who pay lists are not those whose transfers are measured.
  const half = Math.floor(customers.length / 2)
  const payers = toPayers(customers.slice(0, half))
  const others = customers.slice(half)
  const transfers = uniform(others)
  await warmTokens(target, customers)
  await load(target, transfers, 64, isTiny ? 0.1 : warmUpSeconds)
  const bank = await openBank(target, owner, { payers, count })
  for (let times = 0; times < (isTiny ? 1 : 5); times++) {
    await bank.check()
    await bank.checkFile()
    await bank.execute()
  }

  const inSeconds = (name: string, atMost: number, work: () => Promise<unknown>): Variant => ({
    name,
    main: 'seconds',
    goal: { atMost },
    measure: () => watch(() => time(work)),
  })
  const each = isTiny ? (connections[0] ?? 4) : 16
  const loadSeconds = Math.min(seconds, loadSecondsMax)
  const alone = `transfers alone, ${each} connections`
  return {
    variants: [
      inSeconds(`${count} lines are checked, JSON`, 1, bank.check),
      inSeconds(`${count} lines are checked, pain.001`, 1, () => bank.checkFile()),
      {
        name: `${count} lines are paid`,
        main: 'seconds',
        goal: { atMost: 5 },
        measure: () => watch(bank.execute),
      },
      {
        name: 'a file of 2 MB, above the idle service',
        main: 'peakMb',
        goal: { atMost: 40 },
        measure: async () => {
          const idle = await readNewPeakMb(pid, async () => {})
          const peak = await readNewPeakMb(pid, () => bank.checkFile(fileBytes))
          return { peakMb: Math.max(0, peak - idle) }
        },
      },
      {
        name: alone,
        main: 'p99Ms',
        measure: () => watch(() => load(target, transfers, each, loadSeconds)),
      },
      {
        name: `transfers while ${count} lines are paid, ${each} connections`,
        main: 'p99Ms',
        against: [alone],
        goal: { atMost: 2 },
        measure: () =>
          watch(() =>
            besideList(bank.begin, bank.isPaid, () => load(target, transfers, each, loadSeconds)),
          ),
      },
    ],
    async close() {
      bank.close()
      await requirePaid(owner, bank.orderedCount() * count)
      await owner.end()
      await verify(service)
      await service.stop()
    },
  }
}

async function time(work: () => Promise<unknown>): Promise<Figures> {
  const startedAt = performance.now()
  await work()
  return { seconds: (performance.now() - startedAt) / 1000 }
}

/** Loads until the list is paid; the last of several loads may have outlived it. */
async function besideList(
  begin: () => Promise<string>,
  isPaid: (id: string) => Promise<boolean>,
  measure: () => Promise<Figures>,
): Promise<Figures> {
  const id = await begin()
  const startedAt = performance.now()
  const all: Figures[] = []
  do all.push(await measure())
  while (!(await isPaid(id)))
  const counted = all.length > 1 ? all.slice(0, -1) : all
  const worst = counted.toSorted((one, other) => (other.p99Ms ?? 0) - (one.p99Ms ?? 0))[0]
  return { ...worst, seconds: (performance.now() - startedAt) / 1000 }
}

type Payer = { accountId: string; token: string }

const toPayers = (customers: readonly Customer[]): Payer[] =>
  customers.flatMap(({ accounts, sessions }) =>
    accounts.map((accountId) => ({ accountId, token: sessions[0]?.token ?? '' })),
  )

type Lists = { payers: readonly Payer[]; count: number }

async function openBank(target: Target, owner: pg.Client, { payers, count }: Lists) {
  const { ask, close } = await connect(target)
  const ibans = await readIbans(owner, payers)
  let number = 0
  let ordered = 0
  /** Another account each time: one holds at most fifty lists that are not paid. */
  const nextPayer = (): Payer => payers[number++ % payers.length] as Payer
  const send = async (request: string, status: number) => {
    const response = await ask(request)
    if (Number(response.slice(9, 12)) !== status) throw new Error(response)
    return JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)) as {
      id: string
      ready: { count: number }
    }
  }
  const check = async ({ accountId, token } = nextPayer()) => {
    const items = Array.from({ length: count }, (_, at) => ({
      name: `Payee ${at}`,
      iban: toPayeeIban(at),
      amount: '0.01',
      reference: `Salary ${at}`,
    }))
    const path = `/api/v1/accounts/${accountId}/payment-lists`
    const body = { currency: 'EUR', items }
    return send(toRequest({ method: 'POST', path, token, body }), 201)
  }
  const begin = async (): Promise<string> => {
    const payer = nextPayer()
    const list = await check(payer)
    if (list.ready.count !== count) throw new Error(`${list.ready.count} lines are ready`)
    await order(list.id, payer.token)
    return list.id
  }
  const order = async (id: string, token: string) => {
    ordered++
    const path = `/api/v1/payment-lists/${id}/execute`
    await send(toRequest({ method: 'POST', path, token }), 200)
  }
  const isPaid = async (id: string): Promise<boolean> => {
    const { rowCount } = await owner.query(
      `select from payment_lists where id = $1 and status = 'executed'`,
      [id],
    )
    return rowCount === 1
  }
  return {
    check: () => check(),
    /** @param bytes the size of the file; without, that of its lines */
    async checkFile(bytes = 0) {
      const { accountId, token } = nextPayer()
      const file = writeList(ibans.get(accountId) ?? '', count, { number, bytes })
      await send(toFileRequest(accountId, token, file), 201)
    },
    begin,
    isPaid,
    /** From the order to the last line. */
    async execute(): Promise<Figures> {
      const id = await begin()
      const { seconds = Number.NaN } = await time(async () => {
        while (!(await isPaid(id))) await new Promise((resolve) => setTimeout(resolve, lookMs))
      })
      return { seconds, perSecond: count / seconds }
    },
    orderedCount: () => ordered,
    close,
  }
}

/** A file of many elements and long texts, where it is to be large. */
function writeList(
  debtorIban: string,
  count: number,
  { number, bytes }: { number: number; bytes: number },
): string {
  const lineBytes = 320
  const rest = Math.max(0, Math.floor(bytes / count) - lineBytes)
  const elements = Math.min(45, Math.floor(rest / 20))
  const text = 'x'.repeat(Math.max(0, Math.floor(rest / Math.max(1, elements)) - 19))
  const before = `<AdrLine>${text}</AdrLine>`.repeat(elements)
  const payments = Array.from({ length: count }, (_, at) => ({
    name: `Payee ${at}`,
    iban: toPayeeIban(at),
    amount: '0.01',
    before,
  }))
  return pain001(payments, { debtorIban, messageId: `BENCH-${number}` })
}

function toFileRequest(accountId: string, token: string, file: string): string {
  const path = `/api/v1/accounts/${accountId}/payment-lists`
  const headers = {
    'content-type': 'application/xml',
    'content-length': String(Buffer.byteLength(file)),
  }
  return toRequest({ method: 'POST', path, token, headers }) + file
}

/** At another bank. */
const toPayeeIban = (at: number): string =>
  createIban('DE', `37040044${String(532_000_000 + at).padStart(10, '0')}`)

async function readIbans(owner: pg.Client, payers: readonly Payer[]): Promise<Map<string, string>> {
  const { rows } = await owner.query<{ id: string; iban: string }>(
    'select id, iban from accounts where id = any($1)',
    [payers.map(({ accountId }) => accountId)],
  )
  return new Map(rows.map(({ id, iban }) => [id, iban]))
}

/** The most memory the process holds while the work is done, in MB. */
async function readNewPeakMb(pid: number, work: () => Promise<unknown>): Promise<number> {
  // 5 sets the peak to what is held now (proc_pid_clear_refs(5)).
  await writeFile(`/proc/${pid}/clear_refs`, '5')
  await work()
  return readPeakMb(pid)
}

async function requirePaid(owner: pg.Client, count: number): Promise<void> {
  const { rows } = await owner.query<{ made: number; transfers: number }>(
    `select count(*)::int as made, count(distinct transfer_id)::int as transfers
     from payment_list_lines where outcome = 'made'`,
  )
  const { made, transfers } = rows[0] ?? { made: 0, transfers: 0 }
  if (made !== count || transfers !== count) {
    throw new Error(`${count} lines were ordered, ${made} made ${transfers} payments`)
  }
}
