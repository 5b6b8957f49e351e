import { call } from '../harness/call.ts'
import { type Line, linesOf } from './line.ts'

const channel_id = 'news'
const as = 'u-120'

/** A user with ten roles in groups, five on channels directly, and five on channels through a group. */
async function twentyRoles(): Promise<void> {
  const names = Array.from({ length: 10 }, (_, n) => `twenty-${n}`)
  const title = [{ language: 'en-GB', text: 'Twenty' }]
  const person = { first_name: 'T', last_name: 'T', role: 'USER', status: 'ACTIVE' }
  await call('createUser', { body: { ...person, id: 'twenty', username: 'twenty' } })
  const { body } = await call('listGroups', { query: { type: 'ROOT' } })
  const [{ id: parent_id }] = body.groups
  // The tenth is the primary group.
  for (const id of names.slice(1)) {
    await call('createGroup', { body: { id, title, parent_id } })
    await call('createGroupAssignment', {
      path: { group_id: id },
      body: { role_id: 'group-member', user_id: 'twenty' },
    })
  }
  for (const [nth, id] of names.entries()) {
    await call('createChannel', { body: { id, title } })
    const path = { channel_id: id }
    if (nth < 5)
      await call('createChannelAssignment', {
        path: { ...path, user_id: 'twenty' },
        body: { role_id: 'channel-member' },
      })
    else await call('createChannelGroup', { path, body: { user_group_id: 'twenty-1' } })
  }
}

/** What it costs that people find each other. */
export const peopleLines: readonly Line[] = [
  ...linesOf('listPeople', [
    { scenario: 'first page', request: { as }, costs: [5, 2, 19.5, 0] },
    { scenario: 'fifth page', request: { as, query: { page_number: 5 } }, costs: [5, 2, 21, 0] },
    { scenario: 'by first name', request: { as, query: { sort: 'FIRST_NAME_ASC' } }, costs: [5, 2, 19.5, 0] },
    { scenario: 'search', request: { as, query: { search_term: 'ann' } }, costs: [4, 3, 6.5, 0] },
    { scenario: 'search without a match', request: { as, query: { search_term: 'qqq' } }, costs: [3, 2, 6, 0] },
    { scenario: 'five people by id', request: { as, query: 'id=u-1,u-2,u-3,u-4,u-5' }, costs: [2, 1, 7.5, 0] },
  ]),
  ...linesOf('getPerson', [{ scenario: 'a person', request: { as, path: { user_id: 'u-17' } }, costs: [1, 1, 6, 0] }]),
]

/** What the reads of what one user holds cost. They use the channel of the lines of channels, which three teams share. */
export const ownLines: readonly Line[] = [
  ...linesOf('getMe', [{ scenario: 'the caller', request: { as }, costs: [3, 2, 5.5, 0] }]),
  ...linesOf('listOwnGroups', [{ scenario: 'first page', request: { as }, costs: [3, 2, 5, 0] }]),
  ...linesOf('listOwnChannels', [{ scenario: 'first page', request: { as }, costs: [8, 3, 6, 0] }]),
  ...linesOf('getOwnChannel', [
    { scenario: 'through a group', request: { as, path: { channel_id } }, costs: [5, 2, 6, 0] },
  ]),
  ...linesOf('listUserAccess', [
    { scenario: 'of a user', request: { path: { user_id: as } }, costs: [8, 3, 7, 0] },
    {
      scenario: '20 roles, 10 of them in groups',
      before: twentyRoles,
      request: { path: { user_id: 'twenty' } },
      costs: [26, 3, 16, 0],
    },
  ]),
]
