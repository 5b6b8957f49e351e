import type { ErrorObject } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newAjv, requestSchema } from '../../local/build/validators.ts'
import type { Contract, Schema } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import { recordSchemas } from '../../schemas/directory.ts'
import type { Any } from '../harness/call.ts'
import { fitting, mutation, spoilt } from '../harness/fromSchema.ts'

// The compiled validators find what ajv itself finds, in the same order, without what no message needs.

/** Values that fit a schema, and others that do not. */
function values(schema: Schema) {
  // fast-check cannot make texts for a pattern that looks ahead, as ids in import files have.
  const some = fitting(JSON.parse(JSON.stringify(schema).replaceAll(/\(\?!.*?\$\)/g, '')))
  return fc.oneof(
    some,
    fc.tuple(some, mutation).map(([value, how]) => spoilt(value, how)),
  )
}

const asCompiled = ({ schemaPath: _place, ...fault }: ErrorObject) =>
  fault.keyword === 'pattern' ? { ...fault, params: {} } : fault

function expectSameFaults(schema: Schema, compiled: Any) {
  const original = newAjv().compile(schema as Any)
  fc.assert(
    fc.property(values(schema), (value) => {
      expect(compiled(value)).toBe(original(value))
      expect(compiled.errors).toEqual(original.errors?.map(asCompiled) ?? null)
    }),
    { numRuns: 30 },
  )
}

describe('validators of', () => {
  test.each(Object.values(contracts))('$name', async (contract) => {
    const compiled = await import(`../../schemas/compiled/${contract.name}.js`)
    expectSameFaults(requestSchema(contract) as Schema, compiled.default)
    if (contract.item) expectSameFaults(contract.item, compiled.item)
  })

  test.each([
    ['userBodies', 'createUser'],
    ['userBodies', 'updateUser'],
    ['groupBodies', 'createGroup'],
    ['groupBodies', 'updateGroup'],
  ] as const)('%s: %s', async (module, name) => {
    const { [name]: compiled } = await import(`../../schemas/compiled/${module}.js`)
    const alone = await import(`../../schemas/compiled/${name}.js`)
    expect(compiled.contract).toEqual({ ...alone.contract, order: {} })
    expectSameFaults(requestSchema(contracts[name] as Contract) as Schema, compiled.default)
  })

  test.each(Object.entries(recordSchemas))('%s in import files', async (section, schema) => {
    expectSameFaults(schema as Schema, (await import('../../schemas/compiled/directory.js'))[section as 'roles'])
  })
})

test.each([
  ['updateUser', { tags: Array(60_000).fill({ name: '' }) }],
  ['updateUser', { attributes: Array(60_000).fill(1) }],
  ['createRole', { permissions: Array(60_000).fill({}) }],
  ['createTask', { recipients: Array(60_000).fill({}) }],
  ['createRule', { except_user_ids: Array(60_000).fill(1) }],
  ['updateCalendarSettings', { working_days: Array(60_000).fill('x') }],
])('%s does not look at all items of a list that is far too long', async (name, body) => {
  const { default: judge } = await import(`../../schemas/compiled/${name}.js`)
  expect(judge({ path: {}, query: {}, body })).toBe(false)
  expect(judge.errors.map(({ keyword }: Any) => keyword)).toContain('maxItems')
  expect(judge.errors.length).toBeLessThan(10_000)
})

/** The most ids of a plan. */
const LONGEST = 10_000

test('every list in a body has a limit', () => {
  const unlimited = (schema: Any, at: string): string[] => [
    ...(schema.items && !(schema.maxItems <= LONGEST) ? [at] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => unlimited(one, `${at}.${name}`)),
    ...(schema.items ? unlimited(schema.items, `${at}[]`) : []),
  ]
  const schemas = Object.values(contracts).flatMap(({ name, body, item }: Any) =>
    [body, item].map((one) => [name, one]),
  )
  expect(schemas.flatMap(([name, one]) => (one ? unlimited(one, name) : []))).toEqual([])
})
