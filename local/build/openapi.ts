// npm run openapi: schemas/openapi.json from serverless.yml's routes, the contracts and the error table.
// With --check it only tells whether the file is current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { problem } from '../../schemas/atoms.ts'
import type { Contract, Schema } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import { commonAnswers, errorAnswers, errorExamples } from './openapiErrors.ts'
import { type Shared, sharedSchemas } from './openapiSchemas.ts'
import { type Route, routesOf, serviceFunctions } from './serviceFile.ts'

const file = new URL('../../schemas/openapi.json', import.meta.url)

const tags: Record<string, string> = {
  Channels:
    'Where tasks can be handed to many at once: their texts, their states, and the user groups attached to them.',
  Roles: 'What people may be in user groups and on channels: texts, permissions, and whether they can be handed out.',
  'User groups':
    'The groups of the organisation, one below the other: their texts, their places, and who counts to them.',
  'User group assignments':
    'Who holds which role in which user group: given by hand, or following from the primary group or a rule.',
  'Channel assignments':
    'Who holds which role on a channel: directly, or as a member of a user group that is attached to it.',
  'Task assignments':
    'Who has to do which task, and how far everybody has come: for the recipient his own, for the author all of a task.',
  'Calendar settings':
    'How the calendar of the organisation works: its time zone, working hours, and what events begin with.',
  Organisation: 'The languages that the organisation speaks, and the features it uses.',
  Tasks:
    'What an author gives people to do, or himself: created, changed, deleted, and found again by all who have to do with it.',
  'User attribute definitions': 'The attributes that users can have: their names, titles and types, 50 at the most.',
  Users: 'The people of the organisation: their records, their states, and the 14 days between deletion and the end.',
}

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

/** The document as text. */
export async function openapi(): Promise<string> {
  const shared = await sharedSchemas()
  const routes = routesOf(serviceFunctions())
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const contract = contracts[route.name]
    if (!contract) throw new Error(`serverless.yml has the endpoint ${route.name}, which has no contract`)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(contract, route, shared) }
  }
  shared.schema(problem)
  const used = [...new Set(routes.map(({ name }) => contracts[name]?.tag ?? ''))]
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Rollcall',
      version: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
      summary: 'Administration and task service for organisations',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'Wherever this document comes from' }],
    security: [{ bearer: [] }],
    tags: used.map((name) => ({ name, description: tags[name] })),
    paths,
    components: components(shared, JSON.stringify(paths)),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function operation(contract: Contract, { method }: Route, shared: Shared): object {
  const bodyTypes = ['application/json', ...(contract.mergePatch ? ['application/merge-patch+json'] : [])]
  const content = (schema: object) => Object.fromEntries(bodyTypes.map((type) => [type, { schema }]))
  return {
    operationId: contract.name,
    summary: contract.title,
    description: permissionOf(contract),
    tags: [contract.tag],
    ...(contract.experimental ? { 'x-experimental': true } : {}),
    parameters: [
      ...parameters('path', contract.path, shared),
      ...parameters('query', contract.query, shared),
      language,
    ],
    ...(contract.body
      ? { requestBody: { required: true, content: content(shared.schema(requestBody(contract, contract.body))) } }
      : {}),
    responses: { ...answers(contract, shared), ...errorAnswers(contract, method) },
  }
}

const permissionOf = ({ access, feature }: Contract): string =>
  (access === 'administrator' ? 'For active users with the role ADMIN.' : 'For every active user.') +
  (feature ? ` While the feature \`${feature.name}\` is off: \`${feature.off}\`.` : '')

/** Validation lets any item of a batch pass, to judge each by itself; callers are told what an item is. */
function requestBody({ item }: Contract, body: Schema): object {
  if (!item) return body
  const { items } = body.properties as { items: object }
  return { ...body, properties: { ...body.properties, items: { ...items, items: item } } }
}

const language = ref('parameters', 'AcceptLanguage')
const spellings = 'Also as a repeated parameter, with or without `[]` after its name.'

function parameters(place: 'path' | 'query', schema: Schema | undefined, shared: Shared): object[] {
  const required = (schema?.required ?? []) as readonly string[]
  return Object.entries((schema?.properties ?? {}) as Record<string, Schema>).map(([name, { description, ...of }]) => {
    const isList = of.type === 'array'
    const told = [description, isList ? spellings : undefined].filter(Boolean).join('. ')
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(told ? { description: told } : {}),
      ...(isList ? { style: 'form', explode: false } : {}),
      schema: shared.schema(of),
    }
  })
}

function answers({ answers: given, query, tag }: Contract, shared: Shared): Record<string, object> {
  const headers = {
    'x-request-id': ref('headers', 'RequestId'),
    'content-language': ref('headers', 'ContentLanguage'),
    ...(query ? { 'x-ignored-parameters': ref('headers', 'IgnoredParameters') } : {}),
  }
  return Object.fromEntries(
    Object.entries(given).map(([status, schema]) => [
      status,
      {
        description: meanings[status] ?? tag,
        headers,
        ...(schema ? { content: { 'application/json': { schema: shared.schema(schema) } } } : {}),
      },
    ]),
  )
}

const meanings: Record<string, string> = { 200: 'Done', 201: 'Created', 204: 'Done, nothing to tell' }

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

function components(shared: Shared, paths: string): object {
  const responses = commonAnswers(paths)
  return {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token of the issuer' },
    },
    parameters: {
      AcceptLanguage: {
        name: 'accept-language',
        in: 'header',
        ...text('Languages for titles and descriptions, best first (RFC 9110)', 'de-CH, de;q=0.9, en;q=0.5'),
      },
    },
    headers: {
      RequestId: text('Names this request in the logs', 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef'),
      ContentLanguage: text('Languages of the texts in the answer', 'en-GB'),
      IgnoredParameters: text('Query parameters that the endpoint does not know', 'serach_term'),
      Challenge: text('What is wrong with the token (RFC 6750)', 'Bearer error="invalid_token"'),
      RetryAfter: text('Seconds to wait', '2'),
    },
    responses,
    examples: errorExamples(paths + JSON.stringify(responses)),
    schemas: shared.used(),
  }
}

async function main(): Promise<void> {
  const document = await openapi()
  const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === document
  if (isCurrent) return console.log('schemas/openapi.json is current')
  if (process.argv.includes('--check')) {
    console.error('schemas/openapi.json is out of date: npm run openapi')
    process.exitCode = 1
    return
  }
  writeFileSync(file, document)
  console.log('schemas/openapi.json is written')
}

if (import.meta.main) await main()
