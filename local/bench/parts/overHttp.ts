import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { queryOf } from '../../../domain/table/items.ts'
import { userList } from '../../../domain/table/keys.ts'
import { type Bench, shown } from '../figures.ts'
import { filled, LARGE, TERMS } from '../fill.ts'
import { type Service, startService } from '../service.ts'
import { median, timed } from '../timing.ts'
import type { World } from '../world.ts'

const SORTS = ['LAST_NAME_ASC', 'EMAIL_DESC', 'CREATED_AT_ASC']
const SHARES = [0.01, 0.1, 0.25, 0.5, 0.75, 0.99, 1]
/** How often a call is repeated; the median counts. */
const ROUNDS = 3
const MOST_MS_OF_A_PAGE = 2_500
const MOST_LAST_OVER_FIRST = 3

const MOST_MS_OF_A_SEARCH = 1_500
const MOST_MS_OF_A_SMALL_SEARCH = 100
const SMALL_SEARCH = 1_000

const MOST_SECONDS_OF_AN_EXPORT = 90
const MOST_NUMBER_OVER_CURSOR = 2
const USERS = '/api/admin/users/v4/users'

type Place = { bench: Bench; world: World; service: Service }

/** HTTP: any page, any search and an export of a large directory, over HTTP as `npm start` runs the service. */
export async function overHttp(bench: Bench): Promise<void> {
  const world = await filled(bench, LARGE)
  const service = await startService(world)
  try {
    const place = { bench, world, service }
    // The first calls load the handlers.
    for (let n = 0; n < 3; n++) await service.ask('GET', `${USERS}?search_term=qqq`)
    for (const sort of SORTS) await pages(place, sort)
    for (const term of TERMS) await search(place, term)
    await exports(place)
  } finally {
    await service.stop()
  }
}

/** How long a call takes, in milliseconds and in bare pages, and its answer. */
async function measured({ world, service }: Place, query: string) {
  const bare = await barePages(world)
  const times: number[] = []
  let pagination = { total_elements: 0, total_pages: 0, total_relation: 'EQUAL' }
  const ask = async () => {
    const answer = await service.ask('GET', `${USERS}?${query}`)
    pagination = { ...pagination, ...answer.pagination }
  }
  for (let n = 0; n < ROUNDS; n++) times.push(await timed(ask))
  const ms = median(times)
  return { ms, also: `, ${shown(ms / bare)} bare pages`, pagination }
}

async function pages(place: Place, sort: string): Promise<void> {
  const { say, atMost } = place.bench
  const times: number[] = []
  const { total_pages } = (await measured(place, `sort=${sort}`)).pagination
  for (const share of SHARES) {
    const what = `page at ${share * 100} % by ${sort}`
    say(what)
    const number = Math.max(1, Math.round(total_pages * share))
    const { ms, also } = await measured(place, `sort=${sort}&page_number=${number}`)
    times.push(ms)
    atMost(what, ms, MOST_MS_OF_A_PAGE, ' ms', also)
  }
  const [first = Number.NaN, last = Number.NaN] = [times[0], times.at(-1)]
  atMost(`last page ÷ first page by ${sort}`, last / first, MOST_LAST_OVER_FIRST)
}

async function search(place: Place, term: string): Promise<void> {
  place.bench.say(`search for ${term}`)
  const { ms, also, pagination } = await measured(place, new URLSearchParams({ search_term: term }).toString())
  const { total_elements, total_relation } = pagination
  const isExact = total_relation === 'EQUAL'
  const most = isExact && total_elements <= SMALL_SEARCH ? MOST_MS_OF_A_SMALL_SEARCH : MOST_MS_OF_A_SEARCH
  place.bench.atMost(`search for “${term}”: ${isExact ? '' : '≥ '}${total_elements} found`, ms, most, ' ms', also)
}

/** Reads all users, a hundred a page, in the order of creation: by cursor, and by page number. */
async function exports(place: Place): Promise<void> {
  const { atMost, exactly, info } = place.bench
  const bare = await barePages(place.world, 100)
  const byCursor = await walk(place, 'by cursor', ({ next_cursor }) =>
    next_cursor === null ? undefined : `page_cursor=${encodeURIComponent(next_cursor)}`,
  )
  let number = 1
  const byNumber = await walk(place, 'by number', ({ has_more }) => (has_more ? `page_number=${++number}` : undefined))
  const { total, seconds, calls } = byCursor
  const [what, most] = [`export of ${total} users by cursor`, (MOST_SECONDS_OF_AN_EXPORT * total) / 100_000]
  atMost(what, seconds, most, ' s', `, ${shown((seconds * 1000) / calls / bare)} times the bare pages`)
  exactly(`${what}: listed, distinct`, byCursor.found, `${total}, ${total}`)
  info(`${what}: calls of 100`, [calls])
  atMost('the same by number ÷ by cursor', byNumber.seconds / seconds, MOST_NUMBER_OVER_CURSOR)
  exactly('the same by number: listed, distinct', byNumber.found, `${total}, ${total}`)
}

/** Reads page after page; `next` returns the query for the page after an answer. */
async function walk(
  { bench, service }: Place,
  how: string,
  next: (pagination: { next_cursor: string | null; has_more: boolean }) => string | undefined,
) {
  const seen = new Set<string>()
  let [calls, listed, total] = [0, 0, 0]
  const startedAt = performance.now()
  for (let page: string | undefined = ''; page !== undefined; calls++) {
    const { users, pagination } = await service.ask('GET', `${USERS}?sort=CREATED_AT_ASC&page_limit=100&${page}`)
    for (const { id } of users) seen.add(id)
    listed += users.length
    total ||= pagination.total_elements
    page = next(pagination)
    bench.say(`${listed} of ${total} users read ${how}`)
  }
  return { seconds: (performance.now() - startedAt) / 1000, calls, total, found: `${listed}, ${seen.size}` }
}

/**
 * How long the bare SDK takes for a page: 25 rows of a list and their records. It shows how fast the database currently is, on
 * this machine, with this table.
 */
async function barePages({ client, tableName }: World, rows = 25): Promise<number> {
  const list = queryOf({ index: 'by_last_name', hash: userList('ACTIVE', 'USER'), limit: rows })
  const times: number[] = []
  const page = async () => {
    const { Items = [] } = await client.send(new QueryCommand({ TableName: tableName, ...list }))
    const Keys = Items.map(({ pk, sk }) => ({ pk, sk }))
    await client.send(new BatchGetCommand({ RequestItems: { [tableName]: { Keys } } }))
  }
  for (let n = 0; n < 9; n++) times.push(await timed(page))
  return median(times)
}
