import { askedPage } from '../../request/askedPage.ts'
import { cataloguePage, matchesWords } from '../../request/catalogue.ts'
import type { Context, Input } from '../../request/context.ts'
import { bestTexts, choiceOf } from '../../request/localization.ts'
import { readCatalogue } from '../../table/catalogues.ts'
import { type Channel, channelFields, channels } from '../records/channel.ts'

/** Lists channels, by title in the caller's language unless another sort is asked for. */
export async function listChannels(context: Context, { query }: Input<'listChannels'>) {
  const asked = await askedPage(context, ['listChannels'], { sort: ['CHANNEL_NAME_ASC'], ...query })
  const [all, choose] = await Promise.all([readCatalogue(context.store, channels), choiceOf(context)])
  const wanted = all.filter(
    ({ status, title, description }) =>
      (!query.status || query.status.includes(status)) &&
      matchesWords(
        [...title, ...description].map(({ text }) => text),
        query.search_term,
      ),
  )
  const { page, pagination } = await cataloguePage(asked, wanted, {
    CHANNEL_NAME: ({ title }) => choose(title).text,
    CREATED_AT: ({ created_at }) => created_at,
  })
  return { status: 200, body: { channels: await Promise.all(page.map((one) => listed(context, one))), pagination } }
}

const listed = async (context: Context, channel: Channel) => ({
  ...channelFields.shown(channel),
  ...(await bestTexts(context, channel)),
})
