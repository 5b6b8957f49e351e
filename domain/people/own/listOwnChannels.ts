import { askedPage } from '../../request/askedPage.ts'
import { cataloguePage, matchesWords } from '../../request/catalogue.ts'
import type { Context, Input } from '../../request/context.ts'
import { choiceOf } from '../../request/localization.ts'
import { readHoldings, readOwnItems } from '../channels/holdings.ts'
import { canDistribute, viewOwnChannel } from './ownChannel.ts'

/** Lists the active channels on which the caller holds a role, directly or through groups, by title in their language. */
export async function listOwnChannels(context: Context, { query }: Input<'listOwnChannels'>) {
  const asked = await askedPage(context, ['listOwnChannels'], { sort: ['CHANNEL_NAME_ASC'], ...query })
  const [items, choose] = await Promise.all([readOwnItems(context.store, context.actorId), choiceOf(context)])
  const { onChannels } = await readHoldings(context.store, items)
  const held = [...Map.groupBy(onChannels, ({ target }) => target)].map(([channel, mine]) => ({
    ...channel,
    held: mine.map(({ role }) => role),
  }))
  const wishes = await Promise.all(
    held.map(
      async (one) =>
        query.can_distribute === undefined || query.can_distribute === (await canDistribute(context, one.held)),
    ),
  )
  const wanted = held.filter(
    ({ status, title }, nth) =>
      status === 'ACTIVE' &&
      wishes[nth] &&
      matchesWords(
        title.map(({ text }) => text),
        query.search_term,
      ),
  )
  const { page, pagination } = await cataloguePage(asked, wanted, { CHANNEL_NAME: ({ title }) => choose(title).text })
  const shown = await Promise.all(page.map(({ held: roles, ...channel }) => viewOwnChannel(context, channel, roles)))
  return { status: 200, body: { channels: shown, pagination } }
}
