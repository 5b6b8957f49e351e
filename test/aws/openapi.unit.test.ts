import { readFileSync } from 'node:fs'
import { lintFromString, loadConfig } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { openapi } from '../../local/build/openapi.ts'
import { contracts } from '../../schemas/contracts.ts'
import { errors } from '../../schemas/errors.ts'

const text = readFileSync(new URL('../../schemas/openapi.json', import.meta.url), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
const document: any = JSON.parse(text)
// biome-ignore lint/suspicious/noExplicitAny: as above
const operations: any[] = Object.values(document.paths).flatMap((path) => Object.values(path as object))

test('is current', async () => {
  expect(text, 'npm run openapi').toBe(await openapi())
})

const root = new URL('../../', import.meta.url).pathname

test('is linted clean', async () => {
  const config = await loadConfig({ configPath: `${root}redocly.yaml` })
  const problems = await lintFromString({ source: text, absoluteRef: `${root}schemas/openapi.json`, config })
  expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([])
})

test('which would be seen if it were not', async () => {
  const config = await loadConfig({ configPath: `${root}redocly.yaml` })
  const [[path, item] = []] = Object.entries(document.paths)
  const broken = JSON.stringify({ openapi: document.openapi, paths: { [`${path}`]: item } })
  const problems = await lintFromString({ source: broken, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId }) => ruleId)).toContain('security-defined')
})

test('has schemas that validators of others take', () => {
  const ajv = new Ajv2020({ strict: true })
  addFormats.default(ajv)
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema({ ...document, $id: 'document' })
  const places = schemasIn(document)
  expect(places.length).toBeGreaterThan(500)
  for (const place of places) expect(() => ajv.compile({ $ref: `document#${place}` }), place).not.toThrow()
})

/** The places of all schemas: of components, parameters, headers, bodies and answers. */
function schemasIn(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => {
    const place = `${at}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`
    const isSchema = name === 'schema' || at === '/components/schemas'
    return isSchema ? [place] : ['example', 'examples'].includes(name) ? [] : schemasIn(part, place)
  })
}

test('has every endpoint once', () => {
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(contracts).sort())
})

test('names every code that a contract lists, with an example of the right status', () => {
  for (const { operationId, responses } of operations)
    for (const code of contracts[operationId]?.errors ?? []) {
      const given = responses[errors[code][0]]
      const name = given.$ref?.split('/').at(-1)
      const answer = (name ? document.components.responses[name] : given).content['application/problem+json']
      expect(answer.schema.properties.error_code.enum, operationId).toContain(code)
      expect(document.components.examples[code].value).toMatchObject({ status: errors[code][0], error_code: code })
    }
})

test('says of each creation with a key, and of nothing else, how it is repeated', () => {
  for (const { operationId, description } of operations)
    expect([operationId, description.includes('Idempotency-Key')]).toEqual([
      operationId,
      contracts[operationId]?.repeatable !== undefined,
    ])
})

test('marks what is experimental, and nothing else', () => {
  for (const operation of operations)
    expect(operation['x-experimental'] ?? false, operation.operationId).toBe(
      contracts[operation.operationId]?.experimental ?? false,
    )
})

test('lets pages that send requests send only what an example is about', () => {
  for (const parameter of Object.values<object>(document.components.parameters))
    expect(parameter).not.toHaveProperty('example')
})

test('tells the type of ids, also to pages that take what is excluded for a type', () => {
  const excluded = [...text.matchAll(/"not": \{\s*("\w+")/g)].map(([, first]) => first)
  expect(excluded.length).toBeGreaterThan(10)
  expect(new Set(excluded)).toEqual(new Set(['"type"']))
})
