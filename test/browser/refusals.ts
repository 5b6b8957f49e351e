// Nothing is shown that would be refused: where each caller can go, and which buttons a record has in each of its states.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { screens } from '../../console/screens.ts'
import { choose, press } from './keyboard.ts'
import type { Running } from './running.ts'
import type { Visit } from './visit.ts'

const forEverybody = screens.filter((screen) => screen.for === 'EVERYBODY').map(({ path }) => path)
const paths = {
  users: '/api/admin/users/v4/users',
  user: '/api/admin/users/v4/users/{user_id}',
  groups: '/api/admin/users/v4/user-groups',
  group: '/api/admin/users/v4/user-groups/{group_id}',
  channels: '/api/admin/channels/v4/channels',
  channel: '/api/admin/channels/v4/channels/{channel_id}',
  tasks: '/api/tasks/v4/tasks',
  task: '/api/tasks/v4/tasks/{task_id}',
} as const

/** Goes wherever links lead from the first screen, once to each screen. Which ones these are. */
async function goEverywhere({ page, go }: Visit): Promise<string[]> {
  await go('')
  const [seen, next] = [new Set<string>(['']), await linksOf(page)]
  for (let to = next.shift(); to !== undefined; to = next.shift()) {
    const screen = screenOf(to)
    if (seen.has(screen)) continue
    seen.add(screen)
    await go(to)
    next.push(...(await linksOf(page)))
  }
  return [...seen].sort()
}
const screenOf = (path: string) => path.replace(/^\//, '').replace(/[?#].*/, '')
const linksOf = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('a[href^="/console"]')]
      .filter((link) => link.checkVisibility())
      .map(({ pathname, search }) => pathname.slice('/console'.length) + search),
  )

/** The names of the buttons that change the record of a page. */
async function buttonsOf(page: Page): Promise<string[]> {
  const buttons = page.locator('main button:visible:not(th button, td button, .page-head > button, .icon)')
  return (await buttons.allInnerTexts()).filter((name) => !name.startsWith('Show '))
}

export const refusalTests = ({ visitAs, sharedVisit, service }: Running) => {
  const admin = () => service().clientOf('admin')
  let made = 0
  const nextName = () => `Refusals ${++made}`
  const texts = () => [{ language: 'en-GB', text: nextName() }]
  const makeUser = async (status: 'ACTIVE' | 'LOCKED' | 'DEACTIVATED' = 'ACTIVE') => {
    const body = {
      username: nextName(),
      first_name: 'Refusals',
      last_name: String(made),
      role: 'USER' as const,
      status,
    }
    return (await admin().POST(paths.users, { body })).data
  }
  const ofUser = (user_id: string) => ({ params: { path: { user_id } } })
  const makeLeaving = async () => {
    const { id } = await makeUser()
    await admin().DELETE(paths.user, ofUser(id))
    return id
  }
  const makeGroup = async (parent_id = 'all-users') =>
    (await admin().POST(paths.groups, { body: { title: texts(), parent_id } })).data.id
  const ofGroup = (group_id: string) => ({ params: { path: { group_id } } })
  const makeArchivedGroup = async () => {
    const id = await makeGroup()
    await admin().POST(`${paths.group}/archive`, ofGroup(id))
    return id
  }
  /** With the group above it archived, too. */
  const makeGroupBelowArchived = async () => {
    const above = await makeGroup()
    const id = await makeGroup(above)
    await admin().POST(`${paths.group}/archive`, ofGroup(id))
    await admin().POST(`${paths.group}/archive`, ofGroup(above))
    return id
  }
  const makeChannel = async () => (await admin().POST(paths.channels, { body: { title: texts() } })).data.id
  const ofChannel = (channel_id: string) => ({ params: { path: { channel_id } } })
  const makeArchivedChannel = async () => {
    const id = await makeChannel()
    await admin().POST(`${paths.channel}/archive`, ofChannel(id))
    return id
  }

  type Calls = Record<string, (id: string) => Promise<unknown>>
  const callsOfPerson: Calls = {
    'Edit profile': (id) => admin().PATCH(paths.user, { ...ofUser(id), body: {} }),
    Lock: (id) => admin().POST(`${paths.user}/lock`, ofUser(id)),
    Unlock: (id) => admin().POST(`${paths.user}/unlock`, ofUser(id)),
    Deactivate: (id) => admin().POST(`${paths.user}/deactivate`, ofUser(id)),
    Reactivate: (id) => admin().POST(`${paths.user}/reactivate`, ofUser(id)),
    Restore: (id) => admin().POST(`${paths.user}/restore`, ofUser(id)),
    Delete: (id) => admin().DELETE(paths.user, ofUser(id)),
  }
  const callsOfGroup: Calls = {
    Edit: (id) => admin().PATCH(paths.group, { ...ofGroup(id), body: {} }),
    'New group below': (id) => makeGroup(id),
    Move: (id) => admin().PATCH(paths.group, { ...ofGroup(id), body: { parent_id: 'operations' } }),
    Archive: (id) => admin().POST(`${paths.group}/archive`, ofGroup(id)),
    Restore: (id) => admin().POST(`${paths.group}/restore`, ofGroup(id)),
    Delete: (id) => admin().DELETE(paths.group, ofGroup(id)),
    'Add somebody': async (id) => {
      const { data } = await admin().GET(`${paths.group}/assignable-roles`, ofGroup(id))
      // Everybody is a member of the group of all people.
      const role = data.assignable_roles.find(({ role_id }) => role_id !== 'group-member')
      const body = { user_id: (await makeUser()).id, role_id: role?.role_id ?? '' }
      return admin().POST(`${paths.group}/assignments`, { ...ofGroup(id), body })
    },
  }
  const callsOfChannel: Calls = {
    Edit: (id) => admin().PATCH(paths.channel, { ...ofChannel(id), body: { title: texts() } }),
    Archive: (id) => admin().POST(`${paths.channel}/archive`, ofChannel(id)),
    Restore: (id) => admin().POST(`${paths.channel}/restore`, ofChannel(id)),
    'Add a group': async (channel_id) => {
      const { data } = await admin().GET(`${paths.channel}/assignable-roles`, ofChannel(channel_id))
      const body = { user_group_id: await makeGroup(), role_id: data.assignable_roles[0]?.role_id ?? '' }
      return admin().POST(`${paths.channel}/assignments/user-groups`, { ...ofChannel(channel_id), body })
    },
    'Add somebody': async (channel_id) => {
      const { data } = await admin().GET(`${paths.channel}/assignable-roles`, ofChannel(channel_id))
      return admin().POST(`${paths.channel}/assignments/users/{user_id}/roles`, {
        params: { path: { channel_id, user_id: (await makeUser()).id } },
        body: { role_id: data.assignable_roles[0]?.role_id ?? '' },
      })
    },
  }

  // Each record is made anew for each button, since what a button does changes its state.
  it.each([
    ['a person who is active', 'person', async () => (await makeUser()).id, callsOfPerson],
    ['a person who is locked', 'person', async () => (await makeUser('LOCKED')).id, callsOfPerson],
    ['a person who is deactivated', 'person', async () => (await makeUser('DEACTIVATED')).id, callsOfPerson],
    ['a person who is being deleted', 'person', makeLeaving, callsOfPerson],
    ['oneself', 'person', async () => 'demo-admin', callsOfPerson],
    ['a group', 'group', makeGroup, callsOfGroup],
    ['an archived group', 'group', makeArchivedGroup, callsOfGroup],
    ['an archived group below an archived one', 'group', makeGroupBelowArchived, callsOfGroup],
    ['the group of all people', 'group', async () => 'all-users', callsOfGroup],
    ['a channel', 'channel', makeChannel, callsOfChannel],
    ['an archived channel', 'channel', makeArchivedChannel, callsOfChannel],
  ] as const)('every button of %s is accepted', async (_, screen, make, calls) => {
    const { page, go } = await sharedVisit('admin')
    await go(`/${screen}?id=${await make()}`)
    const shown = await buttonsOf(page)
    expect(Object.keys(calls)).toEqual(expect.arrayContaining(shown))
    for (const name of shown) await expect(calls[name]?.(await make()), name).resolves.toBeDefined()
  })

  // A visit fails on each answer that is a refusal.
  it('an administrator is refused nothing, wherever links lead', async () => {
    const seen = await goEverywhere(await sharedVisit('admin'))
    expect(seen).toEqual(
      expect.arrayContaining(screens.filter(({ below }) => below === undefined).map(({ path }) => path)),
    )
    expect(seen.length).toBeGreaterThanOrEqual(15)
  })

  it('a user is refused nothing, wherever links lead', async () => {
    const seen = await goEverywhere(await sharedVisit('user'))
    expect(seen).toEqual([...forEverybody.filter((path) => path !== 'new-person')].sort())
  })

  it('a user who owns a channel and has given a task is refused nothing', async () => {
    const { id: user_id, username } = await makeUser()
    const channel_id = await makeChannel()
    const path = `${paths.channel}/assignments/users/{user_id}/roles` as const
    await admin().POST(path, { params: { path: { channel_id, user_id } }, body: { role_id: 'channel-owner' } })
    const body = { title: nextName(), recipients: [{ id: 'demo-user', type: 'USER' as const }] }
    const { data: given } = await service().clientOf(username).POST(paths.tasks, { body })
    const one = await visitAs(username)
    expect(await goEverywhere(one)).toEqual(['', 'new-task', 'people', 'person', 'tasks'])
    await one.go('/tasks?view=given')
    await one.go(`/task?id=${given.id}`)
    const params = { path: { task_id: given.id } }
    const calls: Calls = {
      Edit: () => service().clientOf(username).PATCH(paths.task, { params, body: {} }),
      'Give it to more people': () => service().clientOf(username).GET(`${paths.task}/assignments`, { params }),
      Delete: () => service().clientOf(username).DELETE(paths.task, { params }),
    }
    const shown = await buttonsOf(one.page)
    expect(shown).toEqual(expect.arrayContaining(['Edit']))
    // Somebody must keep a task.
    await press(one.page, one.page.locator('tbody input[type=checkbox]'), 'Space')
    await one.page.getByText('A task needs at least one recipient.').waitFor()
    expect(await buttonsOf(one.page)).toEqual(shown)
    expect(Object.keys(calls)).toEqual(expect.arrayContaining(shown))
    for (const name of Object.keys(calls)) await expect(calls[name]?.(given.id), name).resolves.toBeDefined()
  })

  it('what the organisation has switched off is not shown', async () => {
    const path = '/api/admin/organisations/v4/settings'
    const user = (await makeUser()).username
    const set = async (hasTasks: boolean, isOn = hasTasks) => {
      const features = { tasks: hasTasks, people_directory: isOn, user_deactivation: isOn }
      await admin().PATCH(path, { body: { features } })
      // Other functions of the service know it a moment later.
      const list = () =>
        service()
          .clientOf(user)
          .GET('/api/users/v4/users')
          .then(
            () => true,
            () => false,
          )
      const tasks = () =>
        admin()
          .GET(paths.tasks)
          .then(
            () => true,
            () => false,
          )
      await expect.poll(async () => [await list(), await tasks()], { timeout: 20_000 }).toEqual([isOn, hasTasks])
    }
    const active = (await makeUser()).id
    await set(false)
    try {
      expect(await goEverywhere(await visitAs(user))).toEqual([''])
      const one = await visitAs('admin')
      const seen = await goEverywhere(one)
      expect(seen).toContain('person')
      expect(seen.filter((screen) => screen.includes('task'))).toEqual([])
      await one.go(`/person?id=${active}`)
      expect(await buttonsOf(one.page)).toEqual(['Edit profile', 'Lock', 'Delete'])
      // Administrators find people, and read their names, without the directory.
      await set(true, false)
      const { page, context, go } = await visitAs('admin')
      await go('/history')
      await page.getByRole('link', { name: 'Ada Keller', exact: true }).first().waitFor()
      await go('/new-task')
      await choose(page, 'Add a person', 'Ava Johnson')
      const refusal = { error_code: 'VALIDATION_ERROR', detail: 'This search is not answered' }
      await context.route(`**${paths.users}?*`, (route) => route.fulfill({ status: 400, json: refusal }))
      await page.keyboard.type('Smith')
      await page.getByRole('alert').filter({ hasText: 'not accepted' }).waitFor()
    } finally {
      await set(true)
    }
  })
}
