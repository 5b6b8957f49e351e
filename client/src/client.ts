import createFetch, { type FetchResponse, type MaybeOptionalInit, mergeHeaders } from 'openapi-fetch'
import { creations, type paths, transitions } from './api.ts'
import { busyItems, type Item, withDoubt } from './batches.ts'
import { errorOf, RollcallError, rollcallError } from './errors.ts'
import { pause, repeating } from './retries.ts'
import { renewing, type TokenSource } from './tokens.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type PathWith<M extends Method> = { [P in keyof paths]: undefined extends paths[P][M] ? never : P }[keyof paths]
type Data<P extends keyof paths, M extends Method> = Extract<
  FetchResponse<NonNullable<paths[P][M]>, object, `${string}/${string}`>,
  { data: unknown }
>['data']

// `Init` is spelled out. openapi-fetch infers its type from the call, and so accepts fields that no operation has.
type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M>
type Arguments<P extends keyof paths, M extends Method> =
  undefined extends Init<P, M> ? [init?: Init<P, M>] : [init: Init<P, M>]
type Answer<D> = Promise<{ data: D; response: Response }>
type Call<M extends Method> = <P extends PathWith<M>>(path: P, ...init: Arguments<P, M>) => Answer<Data<P, M>>

/** With If-None-Match the answer may be 304, which has no data. */
type CallIfChanged = <P extends PathWith<'get'>>(
  path: P,
  init: Init<P, 'get'> & { params: { header: { 'if-none-match': string } } },
) => Answer<Data<P, 'get'> | undefined>

type PagedPath = {
  [P in PathWith<'get'>]: Data<P, 'get'> extends { pagination: object } ? P : never
}[PathWith<'get'>]

/** Calls answer what the operation answers if it succeeds, and throw a `RollcallError` if not. */
export type Client = {
  GET: CallIfChanged & Call<'get'>
  POST: Call<'post'>
  PUT: Call<'put'>
  PATCH: Call<'patch'>
  DELETE: Call<'delete'>
  /** The pages of a list, from the one that `init` asks for to the last. */
  pages: <P extends PagedPath>(path: P, ...init: Arguments<P, 'get'>) => AsyncGenerator<Data<P, 'get'>, void>
}

export type ClientOptions = {
  /** Where the service is, without `/api`. */
  baseUrl: string
  /** Gets a token: for the first call, when the last token is about to expire, and after it has been refused. */
  token: TokenSource
  /** How often a call is sent at most; 5 if left out. */
  attempts?: number
  /** Milliseconds to wait for an answer; 35,000 if left out, as the service answers within 30 seconds. */
  timeout?: number
  /** Headers of every call, such as `accept-language`; those that a call names win. */
  headers?: () => Record<string, string>
  /** Called before each pause in which the client waits to send a call again: how long, and why. */
  onPause?: (seconds: number, error: RollcallError) => void
}

// Inside, calls of all operations are alike.
type AnyInit = {
  signal?: AbortSignal | null
  headers?: RequestInit['headers']
  params?: { query?: object | undefined }
  body?: { items?: unknown[] }
}
type AnyAnswer = {
  data?: { items?: Item[]; pagination?: { next_cursor: string | null } }
  error?: unknown
  response: Response
}

/** A key that no other creation has. Pages without TLS have no `crypto.randomUUID`. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** A client of one service for one user. It repeats calls where that can help and does no harm: see its README. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, token: source, attempts = 5, timeout = 35_000, headers: everyHeader = () => ({}), onPause } = options
  const http = createFetch({ baseUrl }) as unknown as {
    request: (method: string, path: string, init: AnyInit) => Promise<AnyAnswer>
  }
  const withToken = renewing(source)

  /** Sends a call once. */
  async function attempt(method: string, path: string, init: AnyInit, token: string): Promise<AnyAnswer> {
    const headers = mergeHeaders(init.headers, { authorization: `Bearer ${token}` })
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), ...(init.signal ? [init.signal] : [])])
    const answer = await http.request(method, path, { ...init, headers, signal }).catch((cause) => {
      init.signal?.throwIfAborted()
      throw new RollcallError(`${method} ${path} got no answer`, { done: 'unknown', cause })
    })
    if (answer.response.ok || answer.response.status === 304) return answer
    throw errorOf(answer.response, answer.error)
  }

  /** Sends a call as often as it can help and does no harm. */
  async function send(method: string, path: string, init: AnyInit = {}): Promise<AnyAnswer> {
    const isCreation = method === 'POST' && creations.includes(path)
    const isRepeatable = method !== 'POST' || isCreation || transitions.includes(path)
    // One key for all attempts: the service creates one record, however many of them reach it.
    const headers = mergeHeaders(everyHeader(), isCreation ? { 'idempotency-key': newKey() } : {}, init.headers)
    const call = () => withToken((token) => attempt(method, path, { ...init, headers }, token))
    const [answer, done] = await repeating(call, { attempts, isRepeatable, signal: init.signal, onPause })
    if (answer.data?.items) answer.data.items = answer.data.items.map((item) => withDoubt(item, done))
    return answer
  }

  /** Sends those items of a batch again that the database was too busy for. */
  async function sendAll(method: string, path: string, init: AnyInit = {}, round = 1): Promise<AnyAnswer> {
    const answer = await send(method, path, init)
    const results = answer.data?.items ?? []
    const busy = round < attempts ? busyItems(results) : []
    if (busy.length === 0) return answer
    await pause(round, 0, init.signal)
    const body = { ...init.body, items: busy.map((n) => init.body?.items?.[n]) }
    const again = await sendAll(method, path, { ...init, body }, round + 1).catch(rollcallError)
    // The other items are decided, so an error of this call is only about its own.
    for (const [m, n] of busy.entries())
      results[n] =
        again instanceof RollcallError ? withDoubt(results[n] as Item, again.done) : (again.data?.items?.[m] as Item)
    return answer
  }

  async function* pages(path: string, init: AnyInit = {}) {
    let query = init.params?.query
    while (true) {
      const { data } = await send('GET', path, { ...init, params: { ...init.params, query } })
      yield data
      if (!data?.pagination?.next_cursor) return
      // A cursor goes with the sort and the filters of the first call, and in place of a page number.
      query = { ...query, page_cursor: data.pagination.next_cursor, page_number: undefined }
    }
  }

  const method = (name: string) => (path: string, init?: AnyInit) => sendAll(name, path, init)
  const methods = { GET: method('GET'), POST: method('POST'), PUT: method('PUT'), PATCH: method('PATCH') }
  return { ...methods, DELETE: method('DELETE'), pages } as Client
}
