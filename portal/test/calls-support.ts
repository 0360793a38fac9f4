// A page of a person who is signed in, without a browser, and what the bank answers it.
import assert from 'node:assert/strict'
import { type Answer, openBrowser, type Request, type Tab } from './tabs-support.ts'

export async function until(what: string, holds: () => boolean): Promise<void> {
  const begun = performance.now()
  while (!holds()) {
    if (performance.now() - begun > 20_000) assert.fail(`${what} did not happen`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
/** All that goes on by itself has been done, but for what is sealed and opened. */
export const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve))
}
export const ok = (body: object = {}): Answer => ({ status: 200, body })
export const refused = (status: number, code: string, wait?: string): Answer => ({
  status,
  body: { code },
  ...(wait && { wait }),
})

type Answering = (request: Request) => Answer | Promise<Answer>

/** Answers in turn, and then not at all. */
export const inTurn =
  (...answers: (Answer | Promise<Answer>)[]): Answering =>
  () =>
    answers.shift() ?? 'hang'

export const ada = {
  id: 'ada',
  roles: ['customer'],
  restricted: false,
  language: 'en' as string | null,
}

/** @param has what the browser has beside, and in place of what each has */
export async function openPage<T>(
  answers: Answering,
  { user = ada, has = {} }: { user?: typeof ada; has?: Record<string, object> } = {},
) {
  const browser = openBrowser((request) =>
    request.path === '/me' && request.method === 'GET' ? ok(user) : answers(request),
  )
  const openTab = async (): Promise<Tab & T> => {
    const tab = browser.openTab({ has })
    tab.startSession(() => Promise.reject(new Error('no passkey')))
    await until('the answer', () => tab.phase.value !== 'starting')
    return tab as Tab & T
  }
  const tab = await openTab()
  return { ...browser, openTab, tab, sent: () => browser.requests.slice(1) }
}
