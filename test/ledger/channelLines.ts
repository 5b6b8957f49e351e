import { attachmentItems, channels } from '../../domain/people/records/channel.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { call } from '../harness/call.ts'
import { channelRecord } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'
import { type Line, linesOf } from './line.ts'

const channel_id = 'news'
const at = (user_id: string, role_id: string) => ({ path: { channel_id, user_id, role_id } })

/** A channel that belongs to three teams, about a quarter of the people. */
const newChannel = ({ store }: Service) =>
  store.bulk(
    [
      itemOf(channels, channelRecord(channel_id, { title: [{ language: 'en-GB', text: 'News' }] })),
      ...attachmentItems(channel_id, { group_id: 'logistics', role_id: 'channel-member' }),
      ...attachmentItems(channel_id, { group_id: 'warehouse', role_id: 'channel-member' }),
      ...attachmentItems(channel_id, { group_id: 'it', role_id: 'channel-owner' }),
    ].map((put) => ({ put })),
  )

/** What the endpoints of channels cost. */
export const channelLines: readonly Line[] = [
  ...linesOf('createChannelAssignment', [
    {
      scenario: 'a user',
      before: newChannel,
      request: { path: { channel_id, user_id: 'u-122' }, body: { role_id: 'channel-owner' } },
      status: 201,
      costs: [2, 2, 6, 14],
    },
    {
      scenario: 'the same again',
      request: { path: { channel_id, user_id: 'u-122' }, body: { role_id: 'channel-owner' } },
      costs: [1, 1, 6, 0],
    },
  ]),
  ...linesOf('getChannelAssignment', [
    { scenario: 'held directly', request: at('u-122', 'channel-owner'), costs: [4, 1, 8, 0] },
    { scenario: 'through a group', request: at('u-120', 'channel-member'), costs: [4, 1, 8, 0] },
  ]),
  ...linesOf('listChannelAssignments', [
    { scenario: 'first page, three groups', request: { path: { channel_id } }, waves: 4, costs: [11, 3, 7.5, 0] },
    {
      scenario: 'a page far after the last',
      request: { path: { channel_id }, query: { page_number: Number.MAX_SAFE_INTEGER } },
      waves: 4,
      costs: [11, 3, 7.5, 0],
    },
    {
      scenario: 'search',
      request: { path: { channel_id }, query: { search_term: 'ann' } },
      waves: 4,
      costs: [13, 3, 8.5, 0],
    },
    {
      scenario: 'held directly',
      request: { path: { channel_id }, query: { source: 'MANUAL' } },
      costs: [5, 2, 4.5, 0],
    },
  ]),
  ...linesOf('listAssignableChannelRoles', [
    { scenario: 'first page', request: { path: { channel_id } }, costs: [2, 1, 3.5, 0] },
  ]),
  ...linesOf('deleteChannelAssignment', [
    {
      scenario: 'held directly',
      before: () =>
        call('createChannelAssignment', { path: { channel_id, user_id: 'u-123' }, body: { role_id: 'channel-owner' } }),
      request: at('u-122', 'channel-owner'),
      costs: [6, 2, 8.5, 10],
    },
  ]),
  ...linesOf('createChannel', [
    {
      scenario: 'the least',
      request: { body: { id: 'board', title: [{ language: 'en-GB', text: 'Board' }] } },
      status: 201,
      costs: [2, 2, 2, 19],
    },
  ]),
  ...linesOf('getChannel', [{ scenario: 'a channel', request: { path: { channel_id } }, costs: [1, 1, 3, 0] }]),
  ...linesOf('updateChannel', [
    {
      scenario: 'its title',
      request: { path: { channel_id }, body: { title: [{ language: 'en-GB', text: 'New' }] } },
      costs: [2, 2, 3, 7],
    },
    { scenario: 'nothing', request: { path: { channel_id }, body: {} }, costs: [1, 1, 3, 0] },
  ]),
  ...linesOf('listChannels', [{ scenario: 'first page', request: {}, costs: [2, 1, 2.5, 0] }]),
  ...linesOf('archiveChannel', [{ scenario: 'a channel', request: { path: { channel_id } }, costs: [2, 2, 3, 7] }]),
  ...linesOf('restoreChannel', [{ scenario: 'a channel', request: { path: { channel_id } }, costs: [2, 2, 3, 7] }]),
  ...linesOf('createChannelGroup', [
    {
      scenario: 'a group',
      request: { path: { channel_id }, body: { user_group_id: 'sales', role_id: 'channel-member' } },
      status: 201,
      costs: [2, 2, 5, 12],
    },
    {
      scenario: 'a group with the default role',
      request: { path: { channel_id }, body: { user_group_id: 'all-users' } },
      status: 201,
      waves: 3,
      costs: [3, 3, 5, 12],
    },
  ]),
  ...linesOf('listChannelGroups', [
    { scenario: 'five groups', request: { path: { channel_id } }, costs: [3, 2, 5.5, 0] },
  ]),
  ...linesOf('deleteChannelGroup', [
    {
      scenario: 'a group',
      request: { path: { channel_id, user_group_id: 'sales' } },
      status: 204,
      costs: [2, 2, 4, 8],
    },
  ]),
]
