import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { errorTexts } from '../../local/build/errorTexts.ts'
import { openapi } from '../../local/build/openapi.ts'
import { addFormats as addOwnFormats } from '../../local/build/schemaFormats.ts'
import { referenceOf } from '../../schemas/reference/reference.ts'
import type { Any } from '../harness/call.ts'

const document: Any = JSON.parse(await openapi())
const operations: Any[] = Object.values(document.paths).flatMap((path) => Object.values(path as object))

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strict: false })
addFormats.default(ajv)
addOwnFormats(ajv)
ajv.addSchema({ $id: 'api', components: document.components })
const validators = new Map<string, ValidateFunction>()
/** Operations share most schemas: each is compiled once. */
const validatorOf = (schema: Any): ValidateFunction => {
  const rooted = JSON.stringify(schema).replaceAll('"#/', '"api#/')
  const validate = validators.get(rooted) ?? ajv.compile(JSON.parse(rooted))
  validators.set(rooted, validate)
  return validate
}
const faultsOf = (schema: Any, value: unknown): unknown => {
  const validate = validatorOf(schema)
  return validate(value) ? [] : [value, validate.errors]
}

const resolved = (schema: Any): Any =>
  schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema

/** Everything that a schema is made of, by its dotted path: each property, with its schema as it stands there. */
function propertiesOf(schema: Any, at: string, seen: readonly Any[] = []): [path: string, schema: Any][] {
  const it = resolved(schema)
  if (seen.includes(it)) return []
  const inside = [...seen, it]
  const ofItems = it.items ? propertiesOf(it.items, `${at}[]`, inside) : []
  const own = Object.entries<Any>(it.properties ?? {}).flatMap(([name, property]): [string, Any][] => [
    [`${at}.${name}`, property],
    ...propertiesOf(property, `${at}.${name}`, inside),
  ])
  return [...own, ...ofItems]
}

const schemasOf = ({ requestBody, responses }: Any): [string, Any][] => [
  ...Object.entries<Any>(requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema] as [string, Any]),
  ...Object.entries<Any>(responses)
    .filter(([status, { content }]) => status < '300' && content)
    .map(([status, { content }]) => [status, content['application/json'].schema] as [string, Any]),
]

describe.each(operations.map((one) => [one.operationId, one] as const))('%s', (operationId, operation) => {
  test('says what it does', () => {
    expect(referenceOf(operationId).text.length).toBeGreaterThan(50)
    expect(operation.description, 'no line is taken for code').not.toMatch(/^ {4}/m)
    for (const [status, { description }] of Object.entries<Any>(operation.responses))
      if (status < '300') expect(description.length, status).toBeGreaterThan(5)
  })

  test('describes every parameter and property, with examples that fit', () => {
    const parameters: Any[] = operation.parameters.filter((one: Any) => !one.$ref)
    const bare = parameters.filter((one) => !one.description || !(one.example ?? one.schema.examples))
    expect(bare).toEqual([])
    for (const { schema, example } of parameters)
      for (const one of example === undefined ? schema.examples : [example]) expect(faultsOf(schema, one)).toEqual([])
    const properties = schemasOf(operation).flatMap(([place, schema]) => propertiesOf(schema, place))
    const silent = properties.filter(([, one]) => !one.description || !(one.$ref || one.examples))
    expect(silent.map(([path]) => path)).toEqual([])
    for (const [path, { $ref, ...schema }] of properties)
      for (const one of schema.examples ?? []) expect(faultsOf(schema, one), path).toEqual([])
  })

  test('shows each of its bodies and answers', () => {
    const contents: [string, Any][] = [
      ...Object.entries<Any>(operation.requestBody?.content ?? {}),
      ...Object.entries<Any>(operation.responses).flatMap(([status, { content }]): [string, Any][] =>
        status < '300' && content ? [[status, content['application/json']]] : [],
      ),
    ]
    for (const [place, { schema, examples }] of contents) {
      if (withoutExample.has(`${operation.operationId} ${place}`)) continue
      expect(Object.keys(examples ?? {}), `${place}: npm run examples`).not.toEqual([])
      for (const { value } of Object.values<Any>(examples)) expect(faultsOf(schema, value), place).toEqual([])
    }
  })
})

/** The demo organisation is too small for a deletion that takes longer than a call. */
const withoutExample: ReadonlySet<string> = new Set(['deleteRule 202'])

test('an operation that is not described is named', () => {
  expect(() => referenceOf('noSuchOperation')).toThrow(/noSuchOperation/)
})

test('every tag says what it is about', () => {
  for (const { name, description } of document.tags) expect(description.length, name).toBeGreaterThan(20)
})

describe('errors', () => {
  test('every code has its line in schemas/reference/errors.md, once', () => {
    const row = '| USER_NOT_FOUND | It is not there. | Look again. | `user_id` |'
    expect(() => errorTexts(row)).toThrow(/VALIDATION_ERROR/)
    expect(() => errorTexts(`${row}\n| NO_SUCH_CODE | a | b | |`)).toThrow(/NO_SUCH_CODE/)
  })

  test('their examples are what an answer looks like', () => {
    for (const [code, { value }] of Object.entries<Any>(document.components.examples)) {
      expect(faultsOf({ $ref: '#/components/schemas/Problem' }, value), code).toEqual([])
      expect(value.status === 400, code).toBe('errors' in value)
    }
  })
})
