import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { call } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'
import { type Line, linesOf } from './line.ts'

const path = { rule_id: 'sellers' }
const rule = (id: string, value: string) => ({
  id,
  title: `Department ${id}`,
  user_group_id: id,
  role_id: 'coach',
  conditions: [{ field: 'ATTRIBUTE:department', operator: 'EQUALS', values: [value] }],
})
const title = [{ language: 'en-GB', text: 'Group' }]
const groups = async () => {
  for (const id of ['sellers', 'movers', 'many']) await call('createGroup', { body: { id, title, parent_id: 'root' } })
}
/** The first rules of an organisation are applied a minute later. */
const applyFirst = ({ store, now }: Service) =>
  finishOverdue({
    store,
    clock: () => new Date(now().getTime() + 60_000),
    timeLeft: () => 60_000,
    log: () => {},
  })
const department = (value: string) => ({ attributes: [{ name: 'department', value }] })
const newUser = (id: string, value: string) => ({
  ...ordinary,
  id,
  username: id,
  first_name: 'Neo',
  last_name: 'Neu',
  ...department(value),
})
const ofNew = { path: { user_id: 'ruled' } }

/** What rules cost: their endpoints, and changes of users while there are rules. */
export const ruleLines: readonly Line[] = [
  ...linesOf('listRules', [{ scenario: 'none', request: {}, costs: [2, 1, 4, 0] }]),
  ...linesOf('previewRule', [
    {
      scenario: 'by rows alone',
      request: { body: { conditions: rule('x', 'Dock').conditions } },
      costs: [8, 2, 10, 0],
    },
    {
      scenario: 'by records, with group and role',
      request: {
        body: {
          conditions: [{ field: 'TAG', operator: 'IS_SET' }],
          user_group_id: 'sales',
          role_id: 'coach',
        },
      },
      costs: [17, 5, 143.5, 0],
      waves: 5,
    },
  ]),
  ...linesOf('createRule', [
    {
      scenario: 'the first one',
      before: groups,
      request: { body: rule('sellers', 'Selling') },
      status: 201,
      costs: [5, 4, 8, 18],
      waves: 4,
    },
    {
      scenario: 'that matches nobody, among 130 users',
      before: applyFirst,
      request: { body: rule('movers', 'Moving') },
      status: 201,
      costs: [101, 43, 271.5, 148],
      waves: 43,
    },
    {
      scenario: 'that 13 of 130 users match',
      request: { body: rule('many', 'Warehouse') },
      status: 201,
      costs: [107, 49, 290.5, 336],
      waves: 49,
    },
  ]),
  ...linesOf('getRule', [{ scenario: 'a rule', request: { path }, costs: [2, 2, 6, 0] }]),
  ...linesOf('updateRule', [
    { scenario: 'its title', request: { path, body: { title: 'Who sells' } }, costs: [5, 4, 6, 8], waves: 4 },
    { scenario: 'the same again', request: { path, body: { title: 'Who sells' } }, costs: [4, 3, 6, 0], waves: 3 },
  ]),
  ...linesOf('createUser', [
    {
      scenario: 'whom a rule matches',
      request: { body: newUser('ruled', 'Selling') },
      status: 201,
      costs: [5, 4, 7.5, 48],
      waves: 4,
    },
    {
      scenario: 'whom no rule matches',
      request: { body: newUser('unruled', 'Other') },
      status: 201,
      costs: [5, 4, 7.5, 36],
      waves: 4,
    },
  ]),
  ...linesOf('getGroupAssignment', [
    {
      scenario: 'by a rule',
      request: { path: { group_id: 'sellers', user_id: 'ruled', role_id: 'coach' } },
      costs: [2, 2, 6, 0],
    },
  ]),
  ...linesOf('updateUser', [
    {
      scenario: 'what no rule looks at',
      request: { ...ofNew, body: { first_name: 'Neo II' } },
      costs: [4, 2, 4.5, 45],
    },
    {
      scenario: 'what rules look at, with the same outcome',
      request: { ...ofNew, body: { tags: [{ name: 'x' }] } },
      costs: [5, 4, 7.5, 8],
      waves: 4,
    },
    {
      scenario: 'from one rule to another',
      request: { ...ofNew, body: department('Moving') },
      costs: [6, 5, 9.5, 59],
      waves: 5,
    },
  ]),
  ...linesOf('deleteRule', [
    {
      scenario: 'that gave one user a role',
      request: { path: { rule_id: 'movers' } },
      status: 204,
      costs: [113, 54, 514.5, 166],
      waves: 54,
    },
  ]),
]
