import { absent, is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { Action } from '../table/store.ts'
import { type Attachment, attachmentItems } from './channel.ts'

/** Attaches a group to a channel while both are active. */
export function attachmentCreation(channel: string, attachment: Attachment): Action[] {
  const [item, pointer] = attachmentItems(channel, attachment)
  return [
    { check: keys.channelKey(channel), if: is({ 'data/status': 'ACTIVE' }) },
    { check: keys.groupTreeKey(attachment.group_id), if: is({ status: 'ACTIVE' }) },
    {
      put: item,
      if: absent,
      otherwise: { code: 'ASSIGNMENT_ALREADY_EXISTS', property: 'user_group_id' },
    },
    { put: pointer },
  ]
}

/** Detaches a group that is attached as it was read. */
export const attachmentDeletion = (channel: string, attachment: Attachment): Action[] => [
  {
    delete: keys.channelGroupKey(channel, attachment.group_id),
    if: is({ data: attachment }),
  },
  { delete: keys.groupChannelKey(attachment.group_id, channel) },
]
