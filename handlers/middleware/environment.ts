import { randomUUID } from 'node:crypto'
import type { Seals } from '../../domain/context.ts'
import { documentClient } from '../../domain/store/client.ts'
import { dynamoStore } from '../../domain/store/dynamo.ts'
import type { Store } from '../../domain/store/store.ts'
import { sealsWith } from './seals.ts'

type Client = ReturnType<typeof documentClient>

let client: Client | undefined
let seals: Seals | undefined

/** All that a function takes from the world around it; made on first use and kept while the function is warm. */
export const environment = {
  now: (): Date => new Date(),
  newId: (): string => randomUUID(),
  client: (): Client => (client ??= documentClient()),
  seals: (): Seals => (seals ??= sealsWith(process.env.CURSOR_SECRET)),
  log: (line: object): void => console.log(JSON.stringify(line)),
}

/** A view of the table for one request; once its signal is aborted, nothing more is sent. */
export const newStore = (signal?: () => AbortSignal | undefined): Store =>
  dynamoStore({
    client: environment.client(),
    name: process.env.TABLE_NAME ?? 'rollcall',
    newToken: randomUUID,
    ...(signal ? { signal } : {}),
  })
