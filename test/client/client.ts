import createClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch'
import type { paths } from '../../schemas/compiled/api.d.ts'

type Method = 'get' | 'post' | 'patch' | 'delete'
type PathWith<M extends Method> = {
  [P in keyof paths]: undefined extends paths[P][M] ? never : P
}[keyof paths]
type Arguments<Init> = undefined extends Init ? [init?: Init] : [init: Init]

/** Spelled out, as the client's own type infers what it is given, and so lets fields pass that nobody knows. */
type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...init: Arguments<MaybeOptionalInit<paths[P], M>>
) => Promise<FetchResponse<NonNullable<paths[P][M]>, object, `${string}/${string}`>>

type Client = { GET: Call<'get'>; POST: Call<'post'>; PATCH: Call<'patch'>; DELETE: Call<'delete'> }

/** The API as a client in TypeScript sees it: every path, body and answer has the type that schemas/openapi.json gives it. */
export const clientOf = (baseUrl: string, token: string): Client =>
  createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } }) as Client

/** What a call has answered; fails where it has been refused. */
export async function answered<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (error !== undefined || !response.ok) throw new Error(`${response.status}: ${JSON.stringify(error)}`)
  return data as T
}
