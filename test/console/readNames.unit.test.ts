import { expect, it } from 'vitest'
import { type Client, RollcallError } from '../../client/src/index.ts'
import { readNames } from '../../console/data/readNames.ts'

const names = { first_name: 'Ada', last_name: 'Keller' }
const features = { tasks: true, user_deactivation: true, people_directory: true }
const reader = (role: 'ADMIN' | 'USER', people_directory: boolean) => ({
  role,
  features: { ...features, people_directory },
})

/** A service that has only `ada`, and `leaving`, who is being deleted. It notes its calls. */
function service({ isDirectoryOn }: { isDirectoryOn: boolean }) {
  const calls: string[] = []
  const refuse = (error_code: 'FEATURE_DISABLED' | 'USER_NOT_FOUND') => {
    throw new RollcallError(error_code, { done: false, error_code })
  }
  const GET = async (
    _path: string,
    { params }: { params: { query?: { id: string[] }; path?: { user_id: string } } },
  ) => {
    const ids = params.query?.id ?? []
    const one = params.path?.user_id ?? ''
    calls.push(ids.join(' ') || one)
    if (one) return one === 'nobody' ? refuse('USER_NOT_FOUND') : { data: { id: one, ...names } }
    if (!isDirectoryOn) refuse('FEATURE_DISABLED')
    const empty = { first_name: '', last_name: '' }
    const users = ids.filter((id) => id !== 'nobody').map((id) => ({ id, ...(id === 'leaving' ? empty : names) }))
    return { data: { users } }
  }
  return { calls, client: { GET } as unknown as Client }
}

const asked = ['ada', 'leaving', 'nobody', 'ada']
const all = 'ada leaving nobody'
const alone = ['ada', 'leaving', 'nobody']
it.each([
  ['an administrator', reader('ADMIN', true), true, ['ada', 'leaving'], [all, 'leaving']],
  ['an administrator without the directory', reader('ADMIN', false), false, ['ada', 'leaving'], alone],
  [
    'an administrator whose page is older than the settings',
    reader('ADMIN', true),
    false,
    ['ada', 'leaving'],
    [all, ...alone],
  ],
  ['a user', reader('USER', true), true, ['ada'], [all]],
  ['a user without the directory', reader('USER', false), false, [], []],
])('%s reads names', async (_, me, isDirectoryOn, named, called) => {
  const { client, calls } = service({ isDirectoryOn })
  expect(await readNames(client, asked, me)).toEqual(new Map(named.map((id) => [id, 'Ada Keller'])))
  expect(calls).toEqual(called)
})

it('names are read a hundred at once', async () => {
  const { client, calls } = service({ isDirectoryOn: true })
  const ids = Array.from({ length: 250 }, (_, n) => `p${n}`)
  expect((await readNames(client, ids, reader('USER', true))).size).toBe(250)
  expect(calls.map((call) => call.split(' ').length)).toEqual([100, 100, 50])
})
