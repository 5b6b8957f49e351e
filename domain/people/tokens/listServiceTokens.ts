import { askedPage } from '../../request/askedPage.ts'
import { cataloguePage } from '../../request/catalogue.ts'
import type { Context, Input } from '../../request/context.ts'
import { tokenUses } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { useIn } from './serviceToken.ts'
import { readAllTokens, viewToken } from './tokenView.ts'

/** Lists service tokens, the oldest first. Expired ones are among them until they are deleted. */
export async function listServiceTokens(context: Context, { query }: Input<'listServiceTokens'>) {
  const { store, now } = context
  const [asked, tokens, uses] = await Promise.all([
    askedPage(context, ['listServiceTokens'], { sort: ['CREATED_AT_ASC'], ...query }),
    readAllTokens(store),
    all(store, tokenUses),
  ])
  const useOf = new Map(uses.map((item) => [item.sk, useIn(item)]))
  const { page, pagination } = await cataloguePage(asked, tokens, { CREATED_AT: ({ created_at }) => created_at })
  const service_tokens = page.map((token) => viewToken(token, useOf.get(token.id), now))
  return { status: 200, body: { service_tokens, pagination } }
}
