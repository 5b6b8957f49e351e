import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/src/index.ts'
import type { Running } from '../http/service.ts'

// One walk through the service from an empty directory, by a client made from its OpenAPI
// document: that it compiles shows that the document says what a client needs, that it passes shows that it is true.

const titled = (english: string, german: string) => [
  { language: 'en-GB', text: english },
  { language: 'de-DE', text: german },
]
const answered = async <T>(call: Promise<{ data: T }>): Promise<T> => (await call).data
const german = { 'accept-language': 'de-DE' }

/** It fills an empty directory. */
export const tour = (running: () => Running) =>
  describe('a tour by a client in TypeScript', () => {
    let admin: Client
    const as = async (username: string) => {
      const access_token = await running().tokenOf(username)
      return createClient({ baseUrl: running().baseUrl, token: () => ({ access_token }) })
    }
    const steps: [what: string, run: () => Promise<void>][] = []
    const step = (...one: (typeof steps)[number]) => steps.push(one)
    beforeAll(async () => {
      await running().fill('EMPTY')
      admin = await as('service-account-admin')
    })

    step('an organisation gets its languages and its calendar', async () => {
      const { languages, features } = await answered(
        admin.PATCH('/api/admin/organisations/v4/settings', {
          body: { languages: ['en-GB', 'de-DE'], features: { tasks: true } },
        }),
      )
      expect([languages, features.tasks]).toEqual([['en-GB', 'de-DE'], true])
      const calendar = await answered(
        admin.PATCH('/api/admin/calendar/v4/calendar-settings', {
          body: { time_zone: 'Europe/Berlin', working_hours: { end: '18:00' }, default_reminder_minutes: null },
        }),
      )
      expect([calendar.working_hours.start, calendar.updated_by]).toEqual(['09:00', 'service-account-admin'])
    })

    step('a role is made', async () => {
      const role = await answered(
        admin.POST('/api/admin/users/v4/roles', {
          body: {
            id: 'shift-lead',
            title: titled('Shift lead', 'Schichtleitung'),
            scope: 'USER_GROUPS',
            type: 'CUSTOM',
            permissions: ['GROUP_VIEW'],
          },
        }),
      )
      expect([role.type, role.assignable, role.title[1]?.text]).toEqual(['CUSTOM', true, 'Schichtleitung'])
      const { roles } = await answered(
        admin.GET('/api/admin/users/v4/roles', {
          params: { query: { scope: ['USER_GROUPS'], type: ['CUSTOM'], sort: ['TITLE_DESC'] }, header: german },
        }),
      )
      expect(roles.map(({ id, title }) => [id, title.text])).toEqual([['shift-lead', 'Schichtleitung']])
    })

    step('user groups are made, one below the other', async () => {
      for (const [id, parent_id, title] of [
        ['logistics', 'root', titled('Logistics', 'Logistik')],
        ['warehouse', 'logistics', titled('Warehouse', 'Lager')],
      ] as const) {
        const group = await answered(
          admin.POST('/api/admin/users/v4/user-groups', { body: { id, parent_id, title: [...title] } }),
        )
        expect([group.status, group.type, group.title]).toEqual(['ACTIVE', 'CUSTOM', title])
      }
      const { groups } = await answered(
        admin.GET('/api/admin/users/v4/user-groups', {
          params: { query: { search_term: 'lager', embed: ['PATH', 'NUMBER_OF_CONTAINED_USERS'] }, header: german },
        }),
      )
      const [group] = groups
      expect([group?.title.text, group?.path?.length, group?.number_of_contained_users]).toEqual(['Lager', 3, 0])
    })

    step('an attribute is defined', async () => {
      const definition = await answered(
        admin.POST('/api/admin/users/v4/user-attribute-definitions', {
          body: {
            technical_name: 'certified_until',
            title: titled('Certified until', 'Gültig bis'),
            attribute_type: 'DATE',
          },
        }),
      )
      expect([definition.id, definition.user_permission, definition.predefined]).toEqual([
        'certified_until',
        'VIEW',
        false,
      ])
      const { attribute_definitions } = await answered(
        admin.GET('/api/admin/users/v4/user-attribute-definitions', { params: { header: german } }),
      )
      const titles = attribute_definitions.map(({ definition }) => [definition.technical_name, definition.title.text])
      expect(titles).toContainEqual(['certified_until', 'Gültig bis'])
    })

    step('people come in, singly and in a batch, and get roles', async () => {
      const [ann, bob] = await Promise.all([
        answered(
          admin.POST('/api/admin/users/v4/users', {
            body: {
              id: 'ann',
              first_name: 'Ann',
              last_name: 'Müller',
              username: 'ann',
              role: 'USER',
              status: 'ACTIVE',
              primary_user_group_id: 'warehouse',
            },
          }),
        ),
        answered(
          admin.POST('/api/admin/users/v4/users', {
            body: {
              id: 'bob',
              first_name: 'Bob',
              last_name: 'Łukasz',
              username: 'bob',
              role: 'USER',
              status: 'ACTIVE',
            },
          }),
        ),
      ])
      expect([ann.primary_user_group?.id, bob.primary_user_group?.id]).toEqual(['warehouse', 'all-users'])
      const attributes = [
        { name: 'department', value: 'Loading dock' },
        { name: 'certified_until', value: '2030-06-30' },
      ]
      const { items } = await answered(
        admin.PATCH('/api/admin/users/v4/users/batch', {
          body: { items: ['ann', 'bob', 'nobody'].map((id) => ({ id, body: { attributes } })) },
        }),
      )
      expect(items.map(({ body, error }) => body?.attributes[0]?.value ?? error?.error_code)).toEqual([
        'Loading dock',
        'Loading dock',
        'USER_NOT_FOUND',
      ])
      const assignment = await answered(
        admin.POST('/api/admin/users/v4/user-groups/{group_id}/assignments', {
          params: { path: { group_id: 'warehouse' } },
          body: { user_id: 'bob', role_id: 'shift-lead' },
        }),
      )
      expect([assignment.source, assignment.user.department]).toEqual(['MANUAL', 'Loading dock'])
      const { users, pagination } = await answered(
        admin.GET('/api/admin/users/v4/users', {
          params: { query: { search_term: 'LUKASZ load', status: ['ACTIVE', 'LOCKED'], sort: ['LAST_NAME_DESC'] } },
        }),
      )
      expect([users.map(({ id }) => id), pagination.total_elements]).toEqual([['bob'], 1])
    })

    step('a channel is opened, and a group’s members come with the group', async () => {
      const channel = await answered(
        admin.POST('/api/admin/channels/v4/channels', {
          body: { id: 'safety', title: titled('Safety', 'Sicherheit') },
        }),
      )
      expect([channel.status, channel.default_role_id]).toEqual(['ACTIVE', 'channel-member'])
      const path = { channel_id: 'safety' }
      const attached = await answered(
        admin.POST('/api/admin/channels/v4/channels/{channel_id}/assignments/user-groups', {
          params: { path },
          body: { user_group_id: 'warehouse' },
        }),
      )
      expect([attached.id, attached.role_id, attached.user_group.title.text]).toEqual([
        'warehouse',
        'channel-member',
        'Warehouse',
      ])
      const { assignments } = await answered(
        admin.GET('/api/admin/channels/v4/channels/{channel_id}/assignments/users', {
          params: { path, query: { embed: ['USER'] } },
        }),
      )
      expect(assignments.map(({ user, source }) => [user?.last_name, source])).toEqual([
        ['Account', 'MANUAL'],
        ['Łukasz', 'USER_GROUP'],
        ['Müller', 'USER_GROUP'],
      ])
    })

    step('a task is given to a channel, read, finished by all, and deleted', async () => {
      const path = { task_id: 'drill' }
      const task = await answered(
        admin.POST('/api/tasks/v4/tasks', {
          body: {
            id: 'drill',
            title: 'Fire drill',
            body: { html: '<p>Confirm your <b>assembly point</b></p>' },
            due_at: { due_at_type: 'DATE', date: '2030-01-31' },
            settings: { colour: 'red' },
            recipients: [{ id: 'safety', type: 'CHANNEL' }],
          },
        }),
      )
      expect([task.progress_status, task.assignment_summary?.total, task.settings?.colour]).toEqual(['OPEN', 2, 'red'])
      const summary = () =>
        answered(admin.GET('/api/tasks/v4/tasks/{task_id}/assignments-summary', { params: { path } })).then(
          ({ items }) => Object.fromEntries(items.map(({ status, count }) => [status, count])),
        )
      expect(await summary()).toEqual({ NEW: 2, OPEN: 0, FINISHED: 0 })
      for (const name of ['ann', 'bob']) {
        const recipient = await as(name)
        const read = await answered(recipient.GET('/api/tasks/v4/tasks/{task_id}', { params: { path } }))
        expect([read.distribution_kind, read.assignment_summary]).toEqual(['RECEIVED', undefined])
        expect((await summary()).OPEN).toBe(1)
        const { assignments } = await answered(
          recipient.GET('/api/tasks/v4/tasks/assignments', {
            params: { query: { distribution_kind: ['RECEIVED'], progress_status: ['OPEN'] } },
          }),
        )
        const [assignment] = assignments
        if (!assignment) throw new Error(`${name} has no task`)
        const finished = await answered(
          recipient.POST('/api/tasks/v4/tasks/assignments/{assignment_id}/finish', {
            params: { path: { assignment_id: assignment.id } },
          }),
        )
        expect([finished.progress_status, finished.task.title]).toEqual(['FINISHED', 'Fire drill'])
      }
      expect(await summary()).toEqual({ NEW: 0, OPEN: 0, FINISHED: 2 })
      const { tasks } = await answered(
        admin.GET('/api/tasks/v4/tasks', {
          params: {
            query: { distribution_kind: ['DISTRIBUTED'], progress_status: ['FINISHED'], body_format: ['PLAIN'] },
          },
        }),
      )
      expect(tasks.map(({ id, progress_status }) => [id, progress_status])).toEqual([['drill', 'FINISHED']])
      const changed = await answered(
        admin.PATCH('/api/tasks/v4/tasks/{task_id}', { params: { path }, body: { due_at: null, title: 'Drill' } }),
      )
      expect([changed.due_at, changed.title]).toEqual([null, 'Drill'])
      expect((await admin.DELETE('/api/tasks/v4/tasks/{task_id}', { params: { path } })).response.status).toBe(204)
      const gone = admin.GET('/api/tasks/v4/tasks/{task_id}', { params: { path } })
      await expect(gone).rejects.toMatchObject({ error_code: 'TASK_NOT_FOUND' })
    })

    step('what is no longer needed is archived, taken away, deleted', async () => {
      const channel = { channel_id: 'safety' }
      const attachment = { ...channel, user_group_id: 'warehouse' }
      await answered(
        admin.DELETE('/api/admin/channels/v4/channels/{channel_id}/assignments/user-groups/{user_group_id}', {
          params: { path: attachment },
        }),
      )
      const archived = await answered(
        admin.POST('/api/admin/channels/v4/channels/{channel_id}/archive', { params: { path: channel } }),
      )
      expect(archived.status).toBe('ARCHIVED')
      const inUse = admin.DELETE('/api/admin/users/v4/roles/{role_id}', {
        params: { path: { role_id: 'shift-lead' } },
      })
      await expect(inUse).rejects.toMatchObject({ error_code: 'ROLE_IN_USE' })
      const path = { group_id: 'warehouse' }
      const closed = await answered(
        admin.POST('/api/admin/users/v4/user-groups/{group_id}/archive', { params: { path } }),
      )
      expect(closed.status).toBe('ARCHIVED')
      const ann = await answered(
        admin.GET('/api/admin/users/v4/users/{user_id}', { params: { path: { user_id: 'ann' } } }),
      )
      expect(ann.primary_user_group?.id).toBe('all-users')
      expect(
        (await admin.DELETE('/api/admin/users/v4/user-groups/{group_id}', { params: { path } })).response.status,
      ).toBe(204)
      const gone = admin.GET('/api/admin/users/v4/user-groups/{group_id}', { params: { path } })
      await expect(gone).rejects.toMatchObject({ error_code: 'USER_GROUP_NOT_FOUND' })
      const leaving = await answered(
        admin.DELETE('/api/admin/users/v4/users/{user_id}', { params: { path: { user_id: 'bob' } } }),
      )
      expect([leaving.status, typeof leaving.deletion_at]).toEqual(['PENDING_DELETION', 'string'])
      const back = await answered(
        admin.POST('/api/admin/users/v4/users/{user_id}/restore', { params: { path: { user_id: 'bob' } } }),
      )
      expect(back.status).toBe('ACTIVE')
    })

    step('a refusal has its code by name', async () => {
      const path = { user_id: 'nobody' }
      const refused = admin.GET('/api/admin/users/v4/users/{user_id}', { params: { path } })
      await expect(refused).rejects.toMatchObject({ error_code: 'USER_NOT_FOUND', status: 404, done: false })
    })

    test('each step builds on the last', async () => {
      for (const [what, run] of steps)
        await run().catch((cause: Error) => {
          throw new Error(`${what}: ${cause.message}`, { cause })
        })
    })
  })
