import { askedPage } from '../request/askedPage.ts'
import { cataloguePage } from '../request/catalogue.ts'
import type { Context, Input } from '../request/context.ts'
import { readHealth, readWebhooks, viewWebhook } from './webhook.ts'

/** Lists webhooks, the oldest first. There are few, so all of them are read. */
export async function listWebhooks(context: Context, { query }: Input<'listWebhooks'>) {
  const [asked, all] = await Promise.all([
    askedPage(context, ['listWebhooks'], { ...query, sort: ['CREATED_AT_ASC'] }),
    readWebhooks(context.store),
  ])
  const { page, pagination } = await cataloguePage(asked, all, { CREATED_AT: ({ created_at }) => created_at })
  const views = page.map(async (webhook) => viewWebhook(webhook, await readHealth(context.store, webhook)))
  return { status: 200, body: { webhooks: await Promise.all(views), pagination } }
}
