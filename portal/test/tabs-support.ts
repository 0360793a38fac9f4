// Pages of one browser without a browser: the modules that hold a session and what is moved in it,
// each page with state of its own, beside the storage, cookies and messages that all pages share.
import { compileFunction } from 'node:vm'
import type { EndReason } from '../src/state/end-reason.ts'
import type { Movement } from '../src/state/movement.ts'
import { bundled } from './bundled-support.ts'

type Cell<T> = { value: T }

/** As far as it is used here: the page's own types need those of a browser. */
export type TabModules = {
  phase: Cell<'starting' | 'out' | 'in' | 'unreachable'>
  me: Cell<{ id: string } | undefined>
  visitCount: Cell<number>
  endReason: Cell<EndReason | undefined>
  unreachableBecause: Cell<{ code: string } | undefined>
  mustEnrol: Cell<boolean>
  askedConfirmation: Cell<{ settle(challengeId?: string): void } | undefined>
  leaveSession(because: EndReason | undefined): void
  sessionEnded(code: string): void
  idleMs(): number
  startSession(load: () => Promise<{ askPasskey: (challenge: object) => Promise<object> }>): void
  openSession(): Promise<void>
  signIn(username: string, password: string): Promise<void>
  answerSignIn(challengeId: string, proof: object): Promise<void>
  signInByPasskey(): Promise<void>
  endIssuerSignIn(answer: object): Promise<void>
  signOut(because?: EndReason): Promise<void>
  movements: Cell<readonly Movement[]>
  ownMovements(): readonly Movement[]
  ownForgotten(): readonly Pick<Movement, 'key' | 'ownerId' | 'path' | 'sentAt'>[]
  findMovement(name: string): Movement | undefined
  openReview(name: string, path: string, body: unknown, saved?: string): void
  sendMovement(movement: Movement): void
  resumeMovements(): void
  forgetMovement(movement: Movement): void
  readDraft(name: string): unknown
  storeDraft(name: string, value: unknown): void
  h(component: () => void, properties: null): object
  render(shown: object | null, place: object): void
}

const script = await bundled({
  modules: [
    'preact',
    ...['call', 'confirming', 'download', 'movements', 'own-accounts', 'passkeys'].map(
      (name) => `calls/${name}.ts`,
    ),
    ...['payee-check', 'payment', 'session', 'sign-in', 'submit', 'unattended'].map(
      (name) => `calls/${name}.ts`,
    ),
    ...['usual-account', 'waiting'].map((name) => `calls/${name}.ts`),
    ...['bank', 'cell', 'draft', 'face', 'face-later', 'issuer-answer', 'kept-movements'].map(
      (name) => `state/${name}.ts`,
    ),
    ...['preferences', 'reset-token', 'router', 'seal'].map((name) => `state/${name}.ts`),
  ],
  scripts: `export const loadScript = async () => ({ texts: {} })
    export const scriptAddress = (file) => '/' + file`,
  format: 'iife',
  globalName: 'page',
})
const code = `${script}\nreturn page`

/** Its entries are its own properties, as those of a browser's storage are. */
class Storage {
  [entry: string]: unknown
  private static told = new WeakMap<Storage, (entry: string, value: string) => void>()

  static open(tell: (entry: string, value: string) => void = () => {}): Storage {
    const storage = new Storage()
    Storage.told.set(storage, tell)
    return storage
  }
  getItem(entry: string): string | null {
    return Object.hasOwn(this, entry) ? (this[entry] as string) : null
  }
  setItem(entry: string, value: string): void {
    this[entry] = value
    Storage.told.get(this)?.(entry, value)
  }
  removeItem(entry: string): void {
    delete this[entry]
  }
  clear(): void {
    for (const entry of Object.keys(this)) delete this[entry]
  }
}

export type Request = { method: string; path: string; key: string | null; body: unknown }
/** `lost`: no answer comes; `hang`: none has come yet. */
export type Answer =
  | { status: number; body?: object; wait?: string; location?: string }
  | 'lost'
  | 'hang'

type Listener = (event: object) => void

/** A browser whose requests `answer` answers. */
export function openBrowser(answer: (request: Request) => Answer | Promise<Answer>) {
  const cookies = new Map<string, string>()
  const tabs = new Set<{ hear(event: string, told: object): void }>()
  const held = new Map<string, Promise<void>>()
  const channels = new Set<Channel>()
  const requests: Request[] = []
  const clock = { now: 1_000_000 }
  let teller: unknown
  const local = Storage.open((key, newValue) => {
    for (const tab of tabs) if (tab !== teller) tab.hear('storage', { key, newValue })
  })

  class Channel {
    private listeners: Listener[] = []
    constructor() {
      channels.add(this)
    }
    addEventListener(_: string, listener: Listener): void {
      this.listeners.push(listener)
    }
    postMessage(data: object): void {
      for (const other of channels) {
        if (other !== this) for (const listener of other.listeners) listener({ data })
      }
    }
  }

  /**
   * @param drafts what its storage holds, where a browser opens it again
   * @param has what this browser has beside, and in place of what each has
   */
  function openTab({ drafts = {}, has = {} }: Opening = {}): Tab {
    const listeners = new Map<string, Listener[]>()
    const listen = (event: string, listener: Listener) =>
      void listeners.set(event, [...(listeners.get(event) ?? []), listener])
    const releases = new Set<() => void>()
    const tab = {
      hear(event: string, told: object): void {
        for (const listener of listeners.get(event) ?? []) listener(told)
      },
    }
    tabs.add(tab)
    const timers = new Map<number, { at: number; run: () => void }>()
    const session = Object.assign(Storage.open(), drafts)
    let reloads = 0
    const location = {
      pathname: '/portal/',
      search: '',
      origin: 'https://bank.example',
      hash: '',
      reload: () => void reloads++,
    }
    const visits: string[] = []
    const go = (href?: string) => {
      if (href === undefined) return
      visits.push(href)
      const { pathname, search } = new URL(href, location.origin)
      Object.assign(location, { pathname, search })
    }
    const document = {
      documentElement: { dataset: { sessionIdleSeconds: '300' }, scrollHeight: 0 },
      get cookie() {
        return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      },
      set cookie(set: string) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) as unknown as [string, string, string]
        if (/Max-Age=0/.test(set)) cookies.delete(name)
        else cookies.set(name, value)
      },
    }
    const fetchAnswer = async (url: string, options: RequestInit): Promise<Response> => {
      const { method = 'GET', headers, body, signal } = options
      const request = {
        method,
        path: url.replace('/portal/api/v1', ''),
        key: (headers as Headers).get('idempotency-key'),
        body: typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined,
      }
      requests.push(request)
      const given = await answer(request)
      if (given === 'lost') throw new TypeError('network')
      if (given === 'hang') {
        return new Promise((_, reject) => {
          const end = () => reject(signal?.reason as Error)
          if (signal?.aborted) end()
          else signal?.addEventListener('abort', end)
        })
      }
      const { status, body: told, wait, location: at } = given
      return new Response(status === 204 ? null : JSON.stringify(told ?? {}), {
        status,
        headers: { ...(wait && { 'retry-after': wait }), ...(at && { location: at }) },
      })
    }
    async function lock(
      name: string,
      { signal }: { signal: AbortSignal },
      work: () => Promise<void>,
    ): Promise<void> {
      const ended = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
      ended.catch(() => {})
      for (let holder = held.get(name); holder; holder = held.get(name)) {
        await Promise.race([holder, ended])
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(name, promise)
      const release = () => {
        held.delete(name)
        resolve()
      }
      releases.add(release)
      await work().finally(() => releases.delete(release) && release())
    }
    /** Pauses between repeats end at once; longer ones when the clock is moved. */
    const pauseMsMax = 60_000
    let count = 0
    const startTimer = (run: () => void, milliseconds = 0): number => {
      const id = ++count
      if (milliseconds <= pauseMsMax) {
        clock.now += milliseconds
        queueMicrotask(run)
      } else timers.set(id, { at: clock.now + milliseconds, run })
      return id
    }
    const own = {
      document,
      location,
      localStorage: new Proxy(local, {
        get(target, name: string) {
          if (name !== 'setItem') return Reflect.get(target, name)
          return (entry: string, value: string) => {
            teller = tab
            target.setItem(entry, value)
          }
        },
      }),
      sessionStorage: session,
      navigator: { locks: { request: lock }, userAgent: 'Firefox Linux', languages: ['en'] },
      history: {
        state: null,
        pushState: (_: unknown, __: string, href?: string) => go(href),
        replaceState: (_: unknown, __: string, href?: string) => go(href),
      },
      BroadcastChannel: Channel,
      addEventListener: listen,
      removeEventListener: (event: string, listener: Listener) =>
        void listeners.set(event, listeners.get(event)?.filter((one) => one !== listener) ?? []),
      fetch: fetchAnswer,
      setTimeout: startTimer,
      clearTimeout: (id: number) => void timers.delete(id),
      scrollTo: () => {},
      scrollY: 0,
      innerHeight: 0,
      performance: { now: () => clock.now },
      Date: class extends Date {
        static override now(): number {
          return clock.now
        }
      },
    }
    Object.assign(document, has.document)
    Object.assign(own, { ...has, document })
    const run = compileFunction(code, [], { contextExtensions: [own] }) as () => TabModules
    const page = run()
    return {
      ...page,
      own,
      /** What a screen gets of a hook. A component that shows nothing needs no document. */
      mount<R>(use: () => R) {
        let got: R
        const [place, component] = [{}, () => void (got = use())]
        const draw = () => page.render(page.h(component, null), place)
        draw()
        return { now: () => got, draw, leave: () => page.render(null, place) }
      },
      visits,
      hear: tab.hear,
      reloads: () => reloads,
      drafts: session,
      /** The person closes it: nothing that it waits for comes any more. */
      close() {
        tabs.delete(tab)
        for (const release of releases) release()
        releases.clear()
      },
      /** Moves the clock of the browser, and runs what was waited for. */
      advance(milliseconds: number) {
        clock.now += milliseconds
        for (const [id, { at, run: due }] of timers) {
          if (at <= clock.now && timers.delete(id)) due()
        }
      },
    }
  }
  return { openTab, requests, local, cookies, clock }
}

type Opening = { drafts?: Record<string, string>; has?: Record<string, object> }

export type Tab = TabModules & {
  own: Record<string, unknown>
  /** `draw`: as the shell does when a cell has changed. */
  mount<R>(use: () => R): { now(): R; draw(): void; leave(): void }
  visits: string[]
  hear(event: string, told: object): void
  reloads(): number
  drafts: Storage
  close(): void
  advance(milliseconds: number): void
}
