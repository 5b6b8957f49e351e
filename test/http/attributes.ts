import { beforeAll, describe, expect, it } from 'vitest'
import { type ErrorRow, expectError, unreached } from './errorRows.ts'
import type { Ask } from './service.ts'

const definitions = '/api/admin/users/v4/user-attribute-definitions'
const users = '/api/admin/users/v4/users'
const title = [{ language: 'en-GB', text: 'Shoe size' }]
const size = { technical_name: 'shoe_size', title, attribute_type: 'TEXT' }
const attributes = [{ name: 'shoe_size', value: '43' }]

const rows: ErrorRow[] = [
  ['PERMISSION_MISSING', 'GET', definitions, { as: 'plain' }],
  ['VALIDATION_ERROR', 'POST', definitions, { body: {} }],
  ['LANGUAGE_NOT_ENABLED', 'POST', definitions, { body: { ...size, title: [{ language: 'fr', text: 'X' }] } }],
  ['DUPLICATE_TECHNICAL_NAME', 'POST', definitions, { body: size }],
  ['ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED', 'POST', definitions, { body: { ...size, technical_name: 'hat_size' } }],
  ['ATTRIBUTE_DEFINITION_NOT_FOUND', 'GET', `${definitions}/nothing`],
  ['ATTRIBUTE_DEFINITION_IN_USE', 'PATCH', `${definitions}/shoe_size`, { body: { attribute_type: 'DATE' } }],
  ['ATTRIBUTE_DEFINITION_IN_USE', 'DELETE', `${definitions}/shoe_size`],
  ['METHOD_NOT_ALLOWED', 'PUT', `${definitions}/shoe_size`],
]

/** Of a directory with 49 attribute definitions. */
export const attributeDefinitions = (ask: Ask) =>
  describe('attribute definitions', () => {
    beforeAll(async () => {
      await ask('POST', definitions, { body: size })
      await ask('PATCH', `${users}/plain`, { body: { attributes } })
    })

    it('one is made, changed, listed, given and deleted, and can be made anew, with nothing but HTTP', async () => {
      await ask('PATCH', `${users}/plain`, { body: { attributes: [] } })
      expect(await ask('DELETE', `${definitions}/shoe_size`)).toMatchObject({ status: 204, body: undefined })
      expect((await ask('GET', `${definitions}/shoe_size`)).status).toBe(404)
      const found = await ask('GET', `${users}?attribute_technical_name=shoe_size&attribute_value=43`)
      expect(found.body).toMatchObject({ users: [], pagination: { total_elements: 0 } })
      const dated = await ask('POST', definitions, { body: { ...size, attribute_type: 'DATE' } })
      expect(dated).toMatchObject({ status: 201, body: { id: 'shoe_size', title, user_permission: 'VIEW' } })
      const merge = { 'content-type': 'application/merge-patch+json' }
      const raw = '{"user_permission":"EDIT","attribute_type":"TEXT"}'
      const patched = await ask('PATCH', `${definitions}/shoe_size`, { raw, headers: merge })
      expect((await ask('GET', `${definitions}/shoe_size`)).body).toEqual(patched.body)
      expect((await ask('PATCH', `${users}/plain`, { body: { attributes } })).body.attributes).toEqual(attributes)
      const list = await ask('GET', `${definitions}?page_limit=1`)
      expect(list.body.attribute_definitions).toHaveLength(50)
      expect(list.body.attribute_definitions.at(-1)).toMatchObject({ definition: { id: 'shoe_size', title: title[0] } })
      expect(list.headers.get('x-ignored-parameters')).toBe('page_limit')
    })

    it.each(rows)('%s: %s %s', (...row) => expectError(ask, row))

    it('reach every code that the contracts name', () => {
      expect(unreached(['User attribute definitions'], rows, [])).toEqual([])
    })
  })
