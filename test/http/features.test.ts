import { afterAll, beforeAll } from 'vitest'
import { attributeDefinitions } from './attributeDefinitions.ts'
import { channels } from './channels.ts'
import { groups } from './groups.ts'
import { roles } from './roles.ts'
import { type Ask, type Running, startHttp } from './service.ts'
import { settings } from './settings.ts'
import { tasks } from './tasks.ts'

// The service takes seconds to start, so all features share one and its directory. Each leaves it as it was, but for
// what it alone looks at.

let service: Running
beforeAll(async () => {
  service = await startHttp({ extras: 44 })
}, 240_000)
afterAll(() => service?.stop())

const ask: Ask = (...request) => service.request(...request)

attributeDefinitions(ask)
channels(ask)
groups(ask)
roles(ask)
settings(ask)
tasks(ask, () => service.store)
