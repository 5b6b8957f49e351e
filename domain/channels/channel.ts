import { catalogued } from '../request/catalogue.ts'
import type { Localized } from '../request/context.ts'
import { channelGroupKey, channelKey, groupChannelKey, wholeChannel } from '../table/keys.ts'
import { all, type Item, type Store } from '../table/store.ts'

/** A channel as it is stored. */
export type Channel = {
  id: string
  title: Localized[]
  description: Localized[]
  status: 'ACTIVE' | 'ARCHIVED'
  default_role_id: string
  created_at: string
  updated_at: string
}

/** A user group attached to a channel: its members hold the role there. */
export type Attachment = { group_id: string; role_id: string }

/** A channel with what hangs on it: the groups attached, and how many hold each role directly. */
export type WholeChannel = { channel: Channel; attachments: Attachment[]; direct: Map<string, number> }

/** The item of a channel, with its place in the catalogue. */
export const channelItem = (channel: Channel): Item => ({
  ...channelKey(channel.id),
  ...catalogued('CHANNELS', channel),
  data: channel,
})

/** The items of a group attached to a channel: one for each to find the other by. */
export const attachmentItems = (channel: string, attachment: Attachment): [Item, Item] => [
  { ...channelGroupKey(channel, attachment.group_id), data: attachment },
  groupChannelKey(attachment.group_id, channel),
]

/** A channel by itself. */
export const readChannelRecord = async (store: Pick<Store, 'get'>, id: string): Promise<Channel | undefined> =>
  (await store.get(channelKey(id)))?.['data'] as Channel | undefined

/** A channel and all that hangs on it, in one read. */
export async function readChannel(store: Pick<Store, 'query'>, id: string): Promise<WholeChannel | undefined> {
  const items = await all(store, wholeChannel(id))
  const record = items.find(({ sk }) => sk === channelKey(id).sk)
  if (!record) return undefined
  const attached = items.filter(({ sk }) => sk.startsWith('G#')).map((item) => item['data'] as Attachment)
  const counts = items.filter(({ sk }) => sk.startsWith('N#'))
  return {
    channel: record['data'] as Channel,
    attachments: attached,
    direct: new Map(counts.map((item) => [item.sk.slice('N#'.length), Number(item['count'])])),
  }
}
