import { askedPage } from '../../request/askedPage.ts'
import { cataloguePage } from '../../request/catalogue.ts'
import type { Context, Input } from '../../request/context.ts'
import { choiceOf } from '../../request/localization.ts'
import { readWholeChannel, requireChannel, viewAttachment } from '../records/channel.ts'
import { groups } from '../records/group.ts'

/** Lists the user groups attached to a channel, by title in the caller's language. */
export async function listChannelGroups(context: Context, { path, query }: Input<'listChannelGroups'>) {
  const asked = await askedPage(context, ['listChannelGroups', path.channel_id], { sort: ['TITLE_ASC'], ...query })
  const [whole, choose] = await Promise.all([readWholeChannel(context.store, path.channel_id), choiceOf(context)])
  const attached = requireChannel(whole).attachments.map(async ({ group_id, role_id }) => {
    const group = await groups.readEventual(context.store, group_id)
    return group ? [{ id: group_id, role_id, group }] : []
  })
  const { page, pagination } = await cataloguePage(asked, (await Promise.all(attached)).flat(), {
    TITLE: ({ group }) => choose(group.title).text,
  })
  const assignments = await Promise.all(page.map(({ role_id, group }) => viewAttachment(context, role_id, group)))
  return { status: 200, body: { assignments, pagination } }
}
