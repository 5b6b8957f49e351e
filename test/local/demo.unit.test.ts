import { describe, expect, test } from 'vitest'
import { factsOf, matcherOf } from '../../domain/people/rules/matching.ts'
import { type Directory, demoDirectory, generateDirectory, logins, withServiceAccount } from '../../local/demo/demo.ts'
import { userRecord } from '../harness/seed.ts'

const now = new Date('2026-11-21T09:00:00.000Z')
const days = 24 * 60 * 60 * 1_000
const demo = demoDirectory(now) as Required<Directory>
const byUsername = new Map(demo.users.map((user) => [user.username, user]))

const repeated = (values: (string | undefined)[]) =>
  values.filter((value, index) => value !== undefined && values.indexOf(value) !== index)

describe('the demo organisation', () => {
  test('is the same at every start', () => {
    expect(demoDirectory(now)).toEqual(demo)
  })

  test('has a few hundred users whose ids, usernames and external ids are their own', () => {
    expect(demo.users.length).toBeGreaterThan(300)
    expect(repeated(demo.users.map(({ id }) => id))).toEqual([])
    expect(repeated(demo.users.map(({ username }) => username.toLowerCase()))).toEqual([])
    expect(repeated(demo.users.map(({ external_id }) => external_id))).toEqual([])
  })

  test('has usernames and e-mail addresses that any keyboard can type', () => {
    for (const { username, email } of demo.users) {
      expect(username).toMatch(/^[a-z0-9.-]+$/)
      if (email)
        expect(email).toBe(`${username}@${email.endsWith('nordwind.example') ? 'nordwind' : 'zeitwerk'}.example`)
    }
  })

  test.each(['Latin', 'Greek', 'Cyrillic', 'Arabic', 'Hebrew', 'Devanagari', 'Han', 'Hiragana', 'Katakana', 'Hangul'])(
    'has names in %s script',
    (script) => {
      const letter = new RegExp(`\\p{Script=${script}}`, 'u')
      expect(demo.users.some(({ first_name, last_name }) => letter.test(first_name + last_name))).toBe(true)
    },
  )

  test('has users of every status, the pending ones with a deadline within the next 14 days', () => {
    const statuses = new Set(demo.users.map(({ status }) => status))
    expect(statuses).toEqual(new Set(['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION']))
    for (const { status, deletion_at } of demo.users) {
      if (status !== 'PENDING_DELETION') expect(deletion_at).toBeUndefined()
      else
        expect((Date.parse(deletion_at ?? '') - now.getTime()) / days).toSatisfy(
          (left: number) => left > 0 && left <= 14,
        )
    }
  })

  test('has the logins that the start message names, and several administrators', () => {
    expect(byUsername.get(logins.admin)).toMatchObject({ role: 'ADMIN', status: 'ACTIVE' })
    expect(byUsername.get(logins.user)?.role).not.toBe('ADMIN')
    expect(byUsername.get(logins.locked)).toMatchObject({ status: 'LOCKED' })
    expect(byUsername.get(logins.leaving)).toMatchObject({ status: 'PENDING_DELETION' })
    expect(demo.users.filter(({ role, status }) => role === 'ADMIN' && status === 'ACTIVE').length).toBeGreaterThan(3)
  })

  test('has its root and the group of all users under the ids that an empty directory gives them', () => {
    const ids = (type: string) => demo.user_groups.filter((group) => group.type === type).map(({ id }) => id)
    expect([ids('ROOT'), ids('ALL_USERS')]).toEqual([['root'], ['all-users']])
  })

  test('has attributes that are defined, each once, and real dates', () => {
    const defined = new Map(demo.attribute_definitions.map((one) => [one.technical_name, one.attribute_type]))
    for (const { attributes = [] } of demo.users) {
      expect(repeated(attributes.map(({ name }) => name))).toEqual([])
      for (const { name, value } of attributes) {
        expect(defined.has(name)).toBe(true)
        if (defined.get(name) === 'DATE') expect(new Date(value).toISOString().slice(0, 10)).toBe(value)
      }
    }
  })

  test('names nothing that is not there', () => {
    const ids = (list: { id: string }[]) => new Set(list.map(({ id }) => id))
    const users = ids(demo.users)
    const groups = ids(demo.user_groups)
    const channels = ids(demo.channels)
    const tasks = ids(demo.tasks)
    const archived = new Set(demo.user_groups.filter(({ status }) => status === 'ARCHIVED').map(({ id }) => id))

    const groupLinks = [...demo.user_group_assignments, ...demo.channel_user_groups].map(({ group_id }) => group_id)
    const channelLinks = [...demo.channel_user_groups, ...demo.channel_assignments].map(({ channel_id }) => channel_id)
    const userLinks = [...demo.user_group_assignments, ...demo.channel_assignments, ...demo.task_assignments]
    const parents = demo.user_groups.flatMap(({ parent_id }) => parent_id ?? [])
    const primary = demo.users.flatMap(({ primary_user_group_id }) => primary_user_group_id ?? [])

    expect([...groups]).toEqual(expect.arrayContaining([...groupLinks, ...parents, ...primary]))
    expect([...channels]).toEqual(expect.arrayContaining(channelLinks))
    expect([...users]).toEqual(expect.arrayContaining(userLinks.map(({ user_id }) => user_id)))
    expect([...users]).toEqual(expect.arrayContaining(demo.tasks.map(({ author_id }) => author_id)))
    expect([...tasks]).toEqual(expect.arrayContaining(demo.task_assignments.map(({ task_id }) => task_id)))
    expect(primary.filter((id) => archived.has(id))).toEqual([])
  })

  test('has a rule by an attribute, by e-mail hosts and by a tag, each with users who match and users who do not', () => {
    const users = demo.users.map((user) =>
      userRecord(
        { ...user, attributes: user.attributes ?? [], tags: user.tags ?? [], email: user.email ?? null } as never,
        '',
      ),
    )
    const fields = demo.user_group_rules.map(({ conditions }) => conditions[0]?.field)
    expect(fields).toEqual(['ATTRIBUTE:department', 'EMAIL_DOMAIN', 'TAG'])
    for (const { conditions } of demo.user_group_rules) {
      const matches = matcherOf({ match: 'ALL', conditions: conditions as never, except_user_ids: [] })
      const found = users.filter((user) => matches(factsOf(user))).length
      expect([found > 5, found < users.length / 2]).toEqual([true, true])
    }
  })

  test('hands out roles of the right scope', () => {
    const scopes = new Map(demo.roles.map(({ id, scope }) => [id, scope]))
    const onGroups = demo.user_group_assignments.map(({ role_id }) => scopes.get(role_id))
    const onChannels = [...demo.channel_user_groups, ...demo.channel_assignments].map(({ role_id }) =>
      scopes.get(role_id),
    )
    expect(new Set(onGroups)).toEqual(new Set(['USER_GROUPS']))
    expect(new Set(onChannels)).toEqual(new Set(['CHANNELS']))
    expect(new Set(demo.channels.map((one) => scopes.get(one.default_role_id)))).toEqual(new Set(['CHANNELS']))
  })

  test('has every link once, and a recipient for every task', () => {
    const links = (list: object[]) => list.map((one) => JSON.stringify(Object.values(one).slice(0, 3)))
    expect(repeated(links(demo.user_group_assignments))).toEqual([])
    expect(repeated(links(demo.channel_assignments))).toEqual([])
    expect(repeated(demo.task_assignments.map(({ task_id, user_id }) => `${task_id}~${user_id}`))).toEqual([])
    const given = new Set(demo.task_assignments.map(({ task_id }) => task_id))
    for (const { id } of demo.tasks) expect(given).toContain(id)
    expect(new Set(demo.task_assignments.map((one) => one.progress_status))).toEqual(
      new Set(['NEW', 'OPEN', 'FINISHED']),
    )
  })

  test('has the four predefined roles, one root, one group of all users, archived groups, texts in three languages', () => {
    const predefined = demo.roles.map((role) => role.predefined_role_type).filter(Boolean)
    expect(predefined.sort()).toEqual(['CHANNEL_MEMBER', 'CHANNEL_OWNER', 'USER_GROUP_MEMBER', 'USER_GROUP_OWNER'])
    const types = demo.user_groups.map(({ type }) => type).filter((type) => type !== 'CUSTOM')
    expect(types.sort()).toEqual(['ALL_USERS', 'ROOT'])
    expect(demo.user_groups.filter(({ status }) => status === 'ARCHIVED')).toHaveLength(2)
    for (const { title } of [...demo.user_groups, ...demo.roles, ...demo.channels]) {
      expect(title.map(({ language }) => language)).toEqual(demo.organisation.languages)
    }
  })
})

describe('the service account', () => {
  const inside = (directory: Directory) => directory.users?.filter(({ id }) => id === 'service-account-admin')

  test('is in the demo organisation, protected', () => {
    expect(inside(demo)).toEqual([expect.objectContaining({ role: 'ADMIN', status: 'ACTIVE', protected: true })])
  })

  test('is added to any directory, once', () => {
    expect(inside(withServiceAccount({}))).toHaveLength(1)
    expect(inside(withServiceAccount(withServiceAccount({ users: [] })))).toHaveLength(1)
  })

  test.each([null, 'x', { users: 'x' }, { users: [null] }])('is no reason to fail on a file like %j', (file) => {
    expect(() => withServiceAccount(file as never)).not.toThrow()
  })
})

describe('a generated directory', () => {
  test('has as many users as wanted, each with their own username, the same for the same seed', () => {
    const large = generateDirectory({ users: 50_000, seed: 7 })
    expect(new Set(large.users?.map(({ username }) => username)).size).toBe(50_000)
    expect(new Set(large.users?.map(({ id }) => id)).size).toBe(50_000)
    expect(generateDirectory({ users: 100, seed: 7 }).users).toEqual(large.users?.slice(0, 100))
    expect(generateDirectory({ users: 100, seed: 8 }).users).not.toEqual(large.users?.slice(0, 100))
  })
})
