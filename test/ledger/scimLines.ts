import { ENTERPRISE_URN } from '../../domain/scim/schema.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { patchBody, scim } from '../scim/scim.ts'
import { type Line, linesOf } from './line.ts'

const typical = {
  userName: 'scim.ferran',
  externalId: 'S-1',
  name: { givenName: 'Zoë', familyName: 'Ferrán-Oliveira' },
  emails: [{ value: 'zoe@large.example', type: 'work', primary: true }],
  active: true,
  title: 'Fleet planner',
  addresses: [{ type: 'work', locality: 'Lisboa' }],
  [ENTERPRISE_URN]: { department: 'Logistics' },
}

/** The index `find` has a user's words by their id: with random ids the costs of a change would vary. */
async function countIds(): Promise<void> {
  let last = 0
  Object.assign(environment, { newId: () => `scim-${++last}` })
}

let userId = ''
let groupId = ''
const created = async (path: string, body: object) => (await scim('POST', path, { body })).body.id as string
const inUsers = (method: string, query: Record<string, string | number>) => () => scim(method, '/Users', { query })
const change = (...operations: unknown[]) => scim('PATCH', `/Users/${userId}`, { body: patchBody(...operations) })
const changeMembers = (op: string, ids: readonly string[]) => () =>
  scim('PATCH', `/Groups/${groupId}`, {
    body: patchBody({ op, path: 'members', value: ids.map((value) => ({ value })) }),
  })
const people = (count: number) => Array.from({ length: count }, (_, n) => `u-${n + 21}`)

/** What SCIM costs. Before a body is parsed, the caller is read, in a wave by itself. */
export const scimLines: readonly Line[] = [
  ...linesOf('scimDiscovery', [
    { scenario: 'the schemas', work: () => scim('GET', '/Schemas'), costs: [3, 2, 27.5, 0] },
    {
      scenario: 'the configuration, without a token',
      work: () => scim('GET', '/ServiceProviderConfig', { token: null }),
      costs: [0, 0, 0, 0],
    },
  ]),
  ...linesOf('scimUsers', [
    {
      scenario: 'POST, typical',
      before: countIds,
      work: async () => {
        userId = await created('/Users', typical)
      },
      costs: [4, 3, 7.5, 50],
    },
    { scenario: 'GET by userName', work: inUsers('GET', { filter: 'userName eq "scim.ferran"' }), costs: [2, 2, 4, 0] },
    { scenario: 'GET of one', work: () => scim('GET', `/Users/${userId}`), costs: [3, 2, 4.5, 0] },
    { scenario: 'GET, first page of 100', work: inUsers('GET', {}), costs: [9, 2, 57.5, 0] },
    {
      scenario: 'GET by the beginning of a name',
      work: inUsers('GET', { filter: 'userName sw "scim"' }),
      costs: [4, 2, 3.5, 0],
    },
    {
      scenario: 'PATCH, e-mail and title',
      work: () =>
        change(
          { op: 'Replace', path: 'emails[type eq "work"].value', value: 'zoe@new.example' },
          { op: 'Replace', path: 'title', value: 'Driver' },
        ),
      costs: [5, 3, 5.5, 46],
    },
    {
      scenario: 'PATCH, a new name',
      work: () => change({ op: 'Add', path: 'name.familyName', value: 'New' }),
      costs: [6, 4, 5.5, 52],
    },
    {
      scenario: 'PUT of the same',
      work: () => scim('PUT', `/Users/${userId}`, { body: { ...typical, title: 'Again' } }),
      costs: [6, 4, 8.5, 53],
    },
    {
      scenario: 'PATCH, active',
      work: () => change({ op: 'Replace', path: 'active', value: 'False' }),
      costs: [5, 3, 4.5, 26],
    },
    { scenario: 'DELETE', work: () => scim('DELETE', `/Users/${userId}`), costs: [3, 3, 3, 36] },
    { scenario: 'POST of one who comes back', work: () => created('/Users', typical), costs: [6, 5, 9.5, 38] },
  ]),
  ...linesOf('scimGroups', [
    {
      scenario: 'POST without members',
      work: async () => {
        groupId = await created('/Groups', { displayName: 'Ledger', externalId: 'G-1' })
      },
      costs: [5, 4, 5.5, 17],
    },
    {
      scenario: 'GET by displayName, without members',
      work: () =>
        scim('GET', '/Groups', { query: { filter: 'displayName eq "ledger"', excludedAttributes: 'members' } }),
      costs: [2, 2, 3.5, 0],
    },
    { scenario: 'PATCH, a member', work: changeMembers('add', people(1)), costs: [4, 3, 8, 12] },
    { scenario: 'PATCH, the same member', work: changeMembers('add', people(1)), costs: [3, 2, 8, 0] },
    { scenario: 'PATCH, thirty members', work: changeMembers('add', people(30)), costs: [4, 3, 66, 292] },
    { scenario: 'PATCH, a hundred members', work: changeMembers('add', people(100)), costs: [14, 12, 311, 736] },
    {
      scenario: 'GET of one with a hundred members',
      work: () => scim('GET', `/Groups/${groupId}`),
      costs: [4, 2, 6, 0],
    },
    { scenario: 'PATCH, one member leaves', work: changeMembers('remove', people(1)), costs: [4, 3, 8, 10] },
    {
      scenario: 'PUT with two members',
      work: () =>
        scim('PUT', `/Groups/${groupId}`, {
          body: { displayName: 'Ledger', members: [{ value: 'u-30' }, { value: 'u-31' }] },
        }),
      costs: [17, 14, 208.5, 796],
    },
    { scenario: 'DELETE', work: () => scim('DELETE', `/Groups/${groupId}`), costs: [17, 14, 16, 155] },
  ]),
]
