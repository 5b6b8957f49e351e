import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { ENTERPRISE_URN, ROLLCALL_URN } from '../../domain/scim/schema.ts'
import type { Any } from '../harness/call.ts'
import { runs } from '../harness/runs.ts'
import { startService } from '../harness/service.ts'
import { expectAnswer, patchBody, scim } from './scim.ts'

// Random resources through POST, PATCH, PUT and GET, and what a small model says of them.

beforeAll(() => startService({ indexes: 'all' }))

type Model = {
  userName: string
  externalId?: string | undefined
  givenName: string
  familyName: string
  email?: string | undefined
  title?: string | undefined
  department?: string | undefined
  locality?: string | undefined
  note?: string | undefined
  tags: string[]
  active: boolean
  role: 'USER' | 'ADMIN'
}
/** What a request says; undefined says nothing, null that it is unassigned. */
type Said = { [K in keyof Model]?: Model[K] | null | undefined }

const word = fc.constantFrom('Ada', 'Bea Maria', "O'Neil", 'Zoë', '日本', 'x')
const said: fc.Arbitrary<Said> = fc.record(
  {
    givenName: word,
    familyName: word,
    email: fc.constantFrom('a@corp.example', 'b@corp.example', null),
    title: fc.option(word),
    department: fc.option(word),
    locality: fc.option(word),
    note: fc.option(word),
    tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
    active: fc.boolean(),
    role: fc.constantFrom('USER' as const, 'ADMIN' as const),
  },
  { requiredKeys: [] },
)
const unassigned = fc.constantFrom<unknown>(null, '', [])
const spelling = fc.record({ none: unassigned, asText: fc.boolean(), urnFirst: fc.boolean() })
type Spelling = typeof spelling extends fc.Arbitrary<infer T> ? T : never

/** The resource that says it. */
function resource(
  { givenName, familyName, email, title, department, locality, note, tags, active, role }: Said,
  { none, asText }: Spelling,
) {
  const value = (one: unknown) => (one === null ? none : one)
  const sent: Any = {
    name: { givenName, familyName },
    title: value(title),
    active: asText && active !== undefined ? String(active).toUpperCase() : active,
    emails: email
      ? [
          { type: 'other', value: 'no@corp.example' },
          { type: 'Work', value: email },
        ]
      : email,
    addresses: locality ? [{ type: 'work', locality }] : locality,
    roles: role === undefined ? undefined : [{ value: role }],
    [ENTERPRISE_URN]: { department: value(department) },
    [ROLLCALL_URN]: { note: value(note), tags },
  }
  return JSON.parse(JSON.stringify(sent))
}

/** What PUT and POST make of the model: null and absence clear, but in our extension absence says nothing. */
function afterPut(model: Model, sent: Said): Model {
  const kept = <K extends keyof Model>(name: K): Model[K] => (sent[name] ?? model[name]) as Model[K]
  return {
    ...model,
    givenName: kept('givenName'),
    familyName: kept('familyName'),
    active: kept('active'),
    role: kept('role'),
    email: sent.email ?? undefined,
    title: sent.title ?? undefined,
    department: sent.department ?? undefined,
    locality: sent.locality ?? undefined,
    note: sent.note === undefined ? model.note : (sent.note ?? undefined),
    tags: sent.tags ?? model.tags,
  }
}

/** What PATCH makes of it: absence says nothing. */
const afterPatch = (model: Model, sent: Said): Model => {
  const changes = Object.entries(sent).filter(([, value]) => value !== undefined)
  return { ...model, ...Object.fromEntries(changes.map(([name, value]) => [name, value ?? undefined])) }
}

const paths: Record<string, string> = {
  givenName: 'name.givenName',
  familyName: 'name.familyName',
  email: 'emails[type eq "work"].value',
  title: 'title',
  department: `${ENTERPRISE_URN}:department`,
  locality: 'addresses[type eq "work"].locality',
  note: `${ROLLCALL_URN}:note`,
  tags: `${ROLLCALL_URN}:tags`,
  active: 'active',
  role: 'roles',
}

/** The same as operations, each with a path, or all in one object. */
function operations(sent: Said, { none, urnFirst, asText }: Spelling): unknown[] {
  const values = Object.entries(sent).filter(([, value]) => value !== undefined)
  const pairs = values.map(([name, value]) => [paths[name] as string, name === 'role' ? [{ value }] : value] as const)
  if (urnFirst)
    return [{ op: 'Replace', value: Object.fromEntries(pairs.map(([path, value]) => [path, value ?? none])) }]
  return pairs.map(([path, value]) =>
    value === null && asText ? { op: 'Remove', path } : { op: 'replace', path, value: value ?? none },
  )
}

const modelOf = (user: Any): Model => ({
  userName: user.userName,
  externalId: user.externalId,
  givenName: user.name.givenName,
  familyName: user.name.familyName,
  email: user.emails?.[0].value,
  title: user.title,
  department: user[ENTERPRISE_URN]?.department,
  locality: user.addresses?.[0].locality,
  note: user[ROLLCALL_URN].note,
  tags: user[ROLLCALL_URN].tags ?? [],
  active: user.active,
  role: user.roles[0].value,
})

let last = 0

it('equal a small model', async () => {
  const step = fc.tuple(fc.constantFrom('PUT', 'PATCH', 'GET PUT'), said, spelling)
  await fc.assert(
    fc.asyncProperty(said, spelling, fc.array(step, { maxLength: 4 }), async (creation, spelled, steps) => {
      const userName = `model-${++last}`
      const created = await scim('POST', '/Users', {
        body: { userName, externalId: `e-${last}`, ...resource(creation, spelled) },
      })
      expectAnswer(created, 201)
      const none: Model = {
        userName,
        externalId: `e-${last}`,
        givenName: userName,
        familyName: '',
        tags: [],
        active: true,
        role: 'USER',
      }
      let model = afterPut({ ...none, familyName: creation.givenName ?? userName }, creation)
      expect(modelOf(created.body)).toEqual(model)
      const { id } = created.body
      for (const [kind, sent, how] of steps) {
        const echo = kind === 'GET PUT' ? (await scim('GET', `/Users/${id}`)).body : undefined
        const reply =
          kind === 'PATCH'
            ? await scim('PATCH', `/Users/${id}`, { body: patchBody(...operations(sent, how)) })
            : await scim('PUT', `/Users/${id}`, { body: echo ?? { userName, ...resource(sent, how) } })
        expectAnswer(reply, 200)
        if (kind === 'PATCH') model = afterPatch(model, sent)
        if (kind === 'PUT') model = afterPut(model, sent)
        expect(modelOf(reply.body), `${kind} ${JSON.stringify(sent)}`).toEqual(model)
        expect((await scim('GET', `/Users/${id}`)).body).toEqual(reply.body)
      }
    }),
    { numRuns: runs(40) },
  )
})
