import * as keys from '../store/keys.ts'
import type { Action } from '../store/store.ts'
import { type Attachment, attachmentItems } from './channel.ts'

/** Attaches a group to a channel while both are active. */
export function attachmentCreation(channel: string, attachment: Attachment): Action[] {
  const [item, pointer] = attachmentItems(channel, attachment)
  const values = { active: 'ACTIVE' }
  return [
    { check: keys.channelKey(channel), if: '#data.#status = :active', values },
    { check: keys.groupTreeKey(attachment.group_id), if: '#status = :active', values },
    {
      put: item,
      if: 'attribute_not_exists(#pk)',
      otherwise: { code: 'ASSIGNMENT_ALREADY_EXISTS', property: 'user_group_id' },
    },
    { put: pointer },
  ]
}

/** Detaches a group that is attached as it was read. */
export const attachmentDeletion = (channel: string, attachment: Attachment): Action[] => [
  {
    delete: keys.channelGroupKey(channel, attachment.group_id),
    if: '#data = :read',
    values: { read: attachment },
  },
  { delete: keys.groupChannelKey(attachment.group_id, channel) },
]
