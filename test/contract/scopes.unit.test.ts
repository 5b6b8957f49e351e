import { describe, expect, it, test } from 'vitest'
import { routesOf, serviceFunctions } from '../../local/build/yamlFiles.ts'
import { contracts } from '../../schemas/contracts.ts'
import type { Scope } from '../../schemas/scopes.ts'

// The rule of the scopes by method and path, written down a second time: the contracts name the scopes one by one. A new
// endpoint needs a line here if its path begins with none of these.

const parts: readonly (readonly [beginning: RegExp, scope: Scope | undefined])[] = [
  [/^\/api\/admin\/organisations\/v4\/service-tokens/, undefined],
  [/^\/api\/admin\/organisations\/v4\/webhooks/, 'WEBHOOKS'],
  [/^\/api\/admin\/organisations\/v4\/plans/, 'USERS'],
  [/^\/api\/admin\/organisations\/v4\/events$/, 'READ'],
  [/^\/api\/admin\/organisations\/v4\/settings$/, 'SETTINGS'],
  [/^\/api\/admin\/users\/v4\/users/, 'USERS'],
  [/^\/api\/admin\/users\/v4\/user-groups/, 'USER_GROUPS'],
  [/^\/api\/admin\/users\/v4\/user-group-rules/, 'USER_GROUPS'],
  [/^\/api\/admin\/users\/v4\/(roles|user-attribute-definitions)/, 'SETTINGS'],
  [/^\/api\/admin\/channels\//, 'CHANNELS'],
  [/^\/api\/(admin\/)?calendar\//, 'SETTINGS'],
  [/^\/api\/(tasks|users|channels)\//, undefined],
  [/^\/scim\//, 'SCIM'],
]

/** The scopes of which a service token needs one. */
function scopesFor(method: string, path: string): Scope[] {
  const part = parts.find(([beginning]) => beginning.test(path))
  if (!part) throw new Error(`Which scope is ${path} of?`)
  const [, scope] = part
  const isRead = method === 'GET' && path.startsWith('/api/admin/') && scope !== undefined && scope !== 'WEBHOOKS'
  return [...new Set<Scope>([...(isRead ? (['READ'] as const) : []), ...(scope ? [scope] : [])])]
}

/** What somebody holds is read with READ, or with the scopes of all its parts together. */
const ofAccess = ['READ', ['USERS', 'USER_GROUPS', 'CHANNELS']]
/** Who may test conditions on users must be allowed to read users: else each preview would answer a question about them. */
const ofConditions = [
  ['USER_GROUPS', 'READ'],
  ['USER_GROUPS', 'USERS'],
]
const exceptions: Record<string, unknown> = {
  listUserAccess: ofAccess,
  createRule: ofConditions,
  updateRule: ofConditions,
  previewRule: ofConditions,
}

const routes = routesOf(serviceFunctions())

describe('the scopes of service tokens', () => {
  it.each(routes.map(({ name, method, path }) => [name, method, path]))('%s: %s %s', (name, method, path) => {
    expect(contracts[name]?.scopes).toEqual(exceptions[name] ?? scopesFor(method, path))
  })

  it('open no endpoint of users alone but the view of the calendar', () => {
    const open = Object.values(contracts).filter(({ access, scopes }) => access === 'user' && scopes.length > 0)
    expect(open.map(({ name }) => name)).toEqual(['viewCalendarSettings'])
  })
})

test('ADMINISTRATORS opens no endpoint by itself', () => {
  const opening = Object.values(contracts).flatMap((contract) => contract.scopes.flat())
  expect(opening).not.toContain('ADMINISTRATORS' satisfies Scope)
})
