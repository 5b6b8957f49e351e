import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compact, newAjv, requestSchema, standalone } from '../../local/build/validators.ts'
import type { Schema } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import { recordSchemas } from '../../schemas/directory.ts'
import type { Any } from '../harness/call.ts'
import { fitting, mutation, spoilt } from '../harness/fromSchema.ts'

// The compiled validators find what ajv itself finds, in the same order.

const told = (errors: readonly Any[] | null | undefined) =>
  (errors ?? []).map(({ instancePath, keyword, params }) => ({
    instancePath,
    keyword,
    ...(keyword === 'pattern' ? {} : { params }),
  }))

/** Values that fit a schema, and others that do not. */
function values(schema: Schema) {
  // fast-check cannot make texts for a pattern that looks ahead, as ids in import files have.
  const some = fitting(JSON.parse(JSON.stringify(schema).replaceAll(/\(\?!.*?\$\)/g, '')))
  return fc.oneof(
    some,
    fc.tuple(some, mutation).map(([value, how]) => spoilt(value, how)),
  )
}

function expectSameFaults(schema: Schema, compiled: Any) {
  const original = newAjv({}).compile(schema as Any)
  fc.assert(
    fc.property(values(schema), (value) => {
      expect(compiled(value)).toBe(original(value))
      expect(told(compiled.errors)).toEqual(told(original.errors))
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

  test.each(Object.entries(recordSchemas))('%s in import files', async (section, schema) => {
    expectSameFaults(schema as Schema, (await import('../../schemas/compiled/directory.js'))[section as 'roles'])
  })
})

test('code of ajv in another form is not shortened by halves, but stops the build', () => {
  const ajv = newAjv({ code: { source: true, esm: true } })
  ajv.addSchema({ type: 'string', maxLength: 3 }, 'short')
  const source = standalone(ajv, { short: 'short' })
  expect(compact(source)).not.toMatch(/schemaPath|vErrors =(?! \[\])/)
  for (const changed of [source.replaceAll('vErrors.push', 'vErrors.add'), source.replaceAll('instancePath,', 'at,')])
    expect(() => compact(changed)).toThrow(/this code of ajv 8\.\d+\.\d+: schemaPath/)
  const counted = source.replaceAll('let errors', 'let  errors')
  expect(() => compact(counted)).toThrow(/this code of ajv 8\.\d+\.\d+: vErrors = null/)
})
