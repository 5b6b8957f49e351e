import { attributeKey, definitionPlaceKey } from '../../domain/store/keys.ts'
import type { Service } from '../harness/service.ts'
import { type Line, linesOf } from './line.ts'

const path = { definition_id: 'shoe_size' }
const title = [{ language: 'en-GB', text: 'Shoe size' }]

/** There are as many definitions as there may be: one makes room. */
const makeRoom = ({ store }: Service) =>
  store.bulk([{ delete: attributeKey('extra_44') }, { delete: definitionPlaceKey(49) }])

/** What the endpoints of attribute definitions cost, and what it costs to be the first who has a value. */
export const attributeLines: readonly Line[] = [
  ...linesOf('listAttributeDefinitions', [{ scenario: 'all fifty', request: {}, costs: [3, 2, 28, 0] }]),
  ...linesOf('createAttributeDefinition', [
    {
      scenario: 'the fiftieth',
      before: makeRoom,
      request: { body: { technical_name: 'shoe_size', title, attribute_type: 'TEXT' } },
      status: 201,
      costs: [3, 2, 4, 4],
    },
  ]),
  ...linesOf('getAttributeDefinition', [{ scenario: 'a definition', request: { path }, costs: [1, 1, 3, 0] }]),
  ...linesOf('updateAttributeDefinition', [
    { scenario: 'the type', request: { path, body: { attribute_type: 'PHONE_NUMBER' } }, costs: [2, 2, 3, 2] },
    { scenario: 'the same again', request: { path, body: { attribute_type: 'PHONE_NUMBER' } }, costs: [1, 1, 3, 0] },
  ]),
  ...linesOf('updateUser', [
    {
      scenario: 'the first value of an attribute',
      request: { path: { user_id: 'u-123' }, body: { attributes: [{ name: 'shoe_size', value: '43' }] } },
      waves: 3,
      costs: [4, 3, 4.5, 33],
    },
    {
      scenario: 'the second',
      request: { path: { user_id: 'u-124' }, body: { attributes: [{ name: 'shoe_size', value: '44' }] } },
      costs: [3, 2, 4.5, 36],
    },
  ]),
]
