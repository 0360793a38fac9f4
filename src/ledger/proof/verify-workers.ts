// The jobs of a verification run on this thread, or on threads that have connections of their own.
// The threads share no snapshot, and keep none: while one lasts, PostgreSQL removes no former
// version of a row, and each payment of a busy account would read more of them.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import pg from 'pg'
import { type Address, openDatabase } from '../../database/connections/connect.ts'
import { isAnswer } from '../../database/connections/failure.ts'
import type { Db } from '../../database/statements/statement.ts'
import { Refusal } from '../../domain/errors.ts'
import { Mismatch } from './verify-chain.ts'
import { type Jobs, jobsOn } from './verify-jobs.ts'

type Name = keyof Jobs
type Input<N extends Name> = Parameters<Jobs[N]>[0]
type Output<N extends Name> = Awaited<ReturnType<Jobs[N]>>

export type Workers = {
  /** How many jobs have a core each. */
  readonly count: number
  /** @param onProven is told how many entries are proven, by a job that takes long */
  run<N extends Name>(
    name: N,
    input: Input<N>,
    onProven?: (count: number) => void,
  ): Promise<Output<N>>
}

type Options = NonNullable<Parameters<typeof openDatabase>[1]>
type Job = { id: number; name: Name; input: Input<Name> }
type Report = { id: number } & (
  | { proven: number }
  | { output: Output<Name> }
  | { mismatch: string }
  | { failure: Error; state: string | undefined }
)

const runOn = (jobs: Jobs, { name, input }: Pick<Job, 'name' | 'input'>, onProven: OnProven) =>
  (jobs[name] as (input: unknown, onProven: OnProven) => Promise<Output<Name>>)(input, onProven)
type OnProven = (count: number) => void

/** @param count as many jobs run side by side, on one core */
export function workHere(db: Db, count = 1): Workers {
  const jobs = jobsOn(db)
  return {
    count,
    run: <N extends Name>(name: N, input: Input<N>, onProven: OnProven = () => {}) =>
      runOn(jobs, { name, input }, onProven) as Promise<Output<N>>,
  }
}

/** The failure of a job, or of a thread, is that of the run. */
export function openWorkers(
  address: Address,
  count: number,
  options: Options,
): Workers & { close(): Promise<void> } {
  const threads = Array.from({ length: count }, () => startThread(address, options))
  return {
    count,
    run<N extends Name>(name: N, input: Input<N>, onProven: OnProven = () => {}) {
      const least = Math.min(...threads.map(({ underWay }) => underWay.size))
      const thread = threads.find(({ underWay }) => underWay.size === least)
      return thread?.run({ name, input }, onProven) as Promise<Output<N>>
    },
    async close() {
      await Promise.all(threads.map(({ close }) => close()))
    },
  }
}

/** The memory at most of two threads is 327 MB with this and 535 MB without. */
const youngMbMax = 24

type Waiting = PromiseWithResolvers<Output<Name>> & { onProven: OnProven }
type ThreadData = { isOfVerify: true; address: Address; options: Options }

function startThread(address: Address, options: Options) {
  const workerData: ThreadData = { isOfVerify: true, address, options }
  const worker = new Worker(new URL(import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: youngMbMax },
  })
  const underWay = new Map<number, Waiting>()
  let lastId = 0
  let failure: Error | undefined
  const failAll = (thrown: Error): void => {
    failure ??= thrown
    for (const { reject } of underWay.values()) reject(failure)
    underWay.clear()
  }
  worker.on('message', (report: Report) => {
    const waiting = underWay.get(report.id)
    if ('proven' in report) return waiting?.onProven(report.proven)
    underWay.delete(report.id)
    if ('output' in report) waiting?.resolve(report.output)
    else if ('mismatch' in report) waiting?.reject(new Mismatch(report.mismatch))
    else waiting?.reject(toFailure(report))
  })
  worker.on('error', failAll)
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      failAll(new Error('A thread of the verification has ended.'))
      resolve()
    })
  })
  return {
    underWay,
    async run(job: Pick<Job, 'name' | 'input'>, onProven: OnProven) {
      if (failure) throw failure
      const waiting = { ...Promise.withResolvers<Output<Name>>(), onProven }
      worker.postMessage({ ...job, id: ++lastId } satisfies Job, [])
      underWay.set(lastId, waiting)
      return waiting.promise
    },
    async close() {
      worker.postMessage(null, [])
      await ended
    },
  }
}

/** An error keeps its text alone on its way between threads. */
const toFailure = ({ failure, state }: { failure: Error; state: string | undefined }): Error =>
  state === undefined
    ? failure
    : Object.assign(new pg.DatabaseError(failure.message, 0, 'error'), { code: state })

function serve({ address, options }: ThreadData): void {
  const db = openDatabase(address, options)
  const jobs = jobsOn(db)
  const report = (told: Report) => parentPort?.postMessage(told, [])
  parentPort?.on('message', (job: Job | null) => {
    if (job === null) {
      parentPort?.close()
      void db.close()
      return
    }
    const { id } = job
    runOn(jobs, job, (proven) => report({ id, proven })).then(
      (output) => report({ id, output }),
      (thrown: Error) => {
        if (thrown instanceof Mismatch) return report({ id, mismatch: thrown.message })
        const cause = thrown instanceof Refusal ? (thrown.cause as Error) : thrown
        return report({ id, failure: cause, state: isAnswer(cause) ? cause.code : undefined })
      },
    )
  })
}

if (!isMainThread && (workerData as Partial<ThreadData> | null)?.isOfVerify === true) {
  serve(workerData as ThreadData)
}
