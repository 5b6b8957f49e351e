import { filled, LARGE, TERMS } from './filled.ts'
import { atMost, exactly, info, notMeasured, type Row, type Say, shown } from './report.ts'
import { barePages, type Running, startService } from './running.ts'
import { median, timed } from './timing.ts'
import type { World } from './world.ts'

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

type Place = { world: World; service: Running; say: Say }

/** P5: any page, any search and an export of a large directory, over HTTP as `npm start` runs the service. */
export async function overHttp(endpoint: string, say: Say): Promise<Row[]> {
  const world = await filled(endpoint, LARGE, say)
  const service = await startService(world)
  try {
    const place = { world, service, say }
    // The first calls load the handlers.
    for (let n = 0; n < 3; n++) await service.ask('GET', `${USERS}?search_term=qqq`)
    return [...(await pages(place)), ...(await searches(place)), ...(await walks(place))]
  } finally {
    await service.stop()
  }
}

type Body = { pagination: { total_elements: number; total_pages: number; total_relation?: string } }

/** How long a call takes, in milliseconds and in bare pages; its answer, or why there is none. */
async function measured({ world, service }: Place, query: string) {
  const bare = await barePages(world)
  const times: number[] = []
  let body: Body | undefined
  try {
    for (let n = 0; n < ROUNDS; n++)
      times.push(
        await timed(async () => {
          body = await service.ask('GET', `${USERS}?${query}`)
        }),
      )
  } catch (error) {
    return { ms: Number.NaN, times: Number.NaN, pagination: undefined, fault: String(error) }
  }
  const ms = median(times)
  return { ms, times: ms / bare, pagination: body?.pagination, fault: '' }
}

async function pages(place: Place): Promise<Row[]> {
  const rows: Row[] = []
  for (const sort of SORTS) {
    const times: number[] = []
    const total = (await measured(place, `sort=${sort}`)).pagination?.total_pages ?? 0
    for (const share of SHARES) {
      const what = `page at ${share * 100} % by ${sort}`
      place.say(what)
      const page = await measured(place, `sort=${sort}&page_number=${Math.max(1, Math.round(total * share))}`)
      times.push(page.ms)
      rows.push(
        page.fault
          ? notMeasured('P5', what, page.fault, `≤ ${MOST_MS_OF_A_PAGE} ms`)
          : atMost('P5', what, page.ms, MOST_MS_OF_A_PAGE, ' ms', `, ${shown(page.times)} bare pages`),
      )
    }
    const [first = Number.NaN, last = Number.NaN] = [times[0], times.at(-1)]
    rows.push(atMost('P5', `last page ÷ first page by ${sort}`, last / first, MOST_LAST_OVER_FIRST))
  }
  return rows
}

async function searches(place: Place): Promise<Row[]> {
  const rows: Row[] = []
  for (const term of TERMS) {
    place.say(`search for ${term}`)
    const { ms, times, pagination, fault } = await measured(
      place,
      new URLSearchParams({ search_term: term }).toString(),
    )
    const { total_elements = Number.NaN, total_relation = 'EQUAL' } = pagination ?? {}
    const isSmall = total_relation === 'EQUAL' && total_elements <= SMALL_SEARCH
    const most = isSmall ? MOST_MS_OF_A_SMALL_SEARCH : MOST_MS_OF_A_SEARCH
    const found = `${total_relation === 'EQUAL' ? '' : '≥ '}${total_elements} found`
    rows.push(
      fault
        ? notMeasured('P5', `search for “${term}”`, fault, `≤ ${most} ms`)
        : atMost('P5', `search for “${term}”: ${found}`, ms, most, ' ms', `, ${shown(times)} bare pages`),
    )
  }
  return rows
}

/** Reads all users, a hundred a page, in the order of creation: by cursor, and by page number. */
async function walks(place: Place): Promise<Row[]> {
  const bare = await barePages(place.world, 100)
  const byCursor = await walk(place, 'by cursor', ({ next_cursor }) =>
    next_cursor === null ? undefined : `page_cursor=${encodeURIComponent(next_cursor)}`,
  )
  let number = 1
  const byNumber = await walk(place, 'by number', ({ has_more }) => (has_more ? `page_number=${++number}` : undefined))
  const { total, seconds, calls } = byCursor
  const [what, most] = [`export of ${total} users by cursor`, (MOST_SECONDS_OF_AN_EXPORT * total) / 100_000]
  return [
    atMost('P5', what, seconds, most, ' s', `, ${shown((seconds * 1000) / calls / bare)} times the bare pages`),
    exactly('P5', `${what}: listed, distinct`, byCursor.found, `${total}, ${total}`),
    info('P5', `${what}: calls of 100`, String(calls)),
    atMost('P5', 'the same by number ÷ by cursor', byNumber.seconds / seconds, MOST_NUMBER_OVER_CURSOR),
    exactly('P5', 'the same by number: listed, distinct', byNumber.found, `${total}, ${total}`),
  ]
}

/** Reads page after page; `next` returns the query for the page after an answer. */
async function walk(
  { service, say }: Place,
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
    say(`${listed} of ${total} users read ${how}`)
  }
  return { seconds: (performance.now() - startedAt) / 1000, calls, total, found: `${listed}, ${seen.size}` }
}
