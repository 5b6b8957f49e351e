import { askedPage } from '../../request/askedPage.ts'
import { cataloguePage, matchesWords } from '../../request/catalogue.ts'
import type { Context, Input } from '../../request/context.ts'
import { choiceOf } from '../../request/localization.ts'
import { readCatalogue } from '../../table/catalogues.ts'
import { type Group, groups } from '../records/group.ts'
import { treeOf } from '../records/groupTree.ts'
import { listedGroup, viewScope } from './groupView.ts'

type Query = Input<'listGroups'>['query']

/** Lists user groups: search and filters combine with AND; names are sorted in the caller's language. */
export async function listGroups(context: Context, { query }: Input<'listGroups'>) {
  const asked = await askedPage(context, ['listGroups'], { sort: ['GROUP_NAME_ASC'], ...query })
  const [all, choose] = await Promise.all([readCatalogue(context.store, groups), choiceOf(context)])
  const { page, pagination } = await cataloguePage(
    asked,
    all.filter((group) => isWanted(group, query)),
    {
      GROUP_NAME: ({ title }) => choose(title).text,
      STATUS: ({ status }) => status,
      CREATED_AT: ({ created_at }) => created_at,
      UPDATED_AT: ({ updated_at }) => updated_at,
    },
  )
  const byId = new Map(all.map((group) => [group.id, group]))
  const scope = viewScope(context, query.embed, treeOf(all), (id) => byId.get(id))
  const listed = await Promise.all(page.map((group) => listedGroup(context, group, scope)))
  return { status: 200, body: { groups: listed, pagination } }
}

const isWanted = (group: Group, query: Query): boolean =>
  isAmong(query.parent_id, group.parent_id) &&
  isAmong(query.type, group.type) &&
  isAmong(query.status, group.status) &&
  (!query.external_id || group.external_id === query.external_id) &&
  matchesWords(textsOf(group), query.search_term)

const isAmong = (wanted: readonly string[] | undefined, value: string | null): boolean =>
  !wanted?.length || (value !== null && wanted.includes(value))

const textsOf = ({ title, description, external_id }: Group): string[] => [
  ...[...title, ...description].map(({ text }) => text),
  external_id ?? '',
]
