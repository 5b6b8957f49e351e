// npm run openapi: schemas/openapi.json from serverless.yml's routes, the contracts and the error table.
// With --check it only checks whether the file is current.
import { readFileSync } from 'node:fs'
import { problem } from '../../schemas/atoms.ts'
import { contracts } from '../../schemas/contracts.ts'
import { etag, problemFields } from '../../schemas/reference/shared.ts'
import { tags } from '../../schemas/reference/tags.ts'
import { locationOf } from './createdLocation.ts'
import { keepCurrent } from './keepCurrent.ts'
import { commonAnswers, errorExamples, requestId } from './openapiErrors.ts'
import { operation } from './openapiOperation.ts'
import { type Shared, sharedSchemas } from './openapiSchemas.ts'
import { routesOf, serviceFunctions } from './yamlFiles.ts'

const referenceFolder = new URL('../../schemas/reference/', import.meta.url)

/** The document as text. */
export async function openapi(): Promise<string> {
  const shared = await sharedSchemas()
  const routes = routesOf(serviceFunctions())
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const contract = contracts[route.name]
    if (!contract) throw new Error(`serverless.yml has the endpoint ${route.name}, which has no contract`)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(contract, route, shared, locationOf(contract, routes)),
    }
  }
  shared.schema(problem, problemFields)
  const used = new Set(routes.map(({ name }) => contracts[name]?.tag))
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Rollcall',
      version: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
      summary: 'Administration and task service for organisations',
      description: readFileSync(new URL('introduction.md', referenceFolder), 'utf8'),
      contact: { name: 'The operator of this service' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'Wherever this document comes from' }],
    security: [{ bearer: [] }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: components(shared, JSON.stringify(paths)),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

function components(shared: Shared, paths: string): object {
  const responses = commonAnswers(paths)
  return {
    securitySchemes: {
      bearer: {
        ...{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT or service token' },
        description: 'An access token of the issuer, or a service token (`rct_…`)',
      },
    },
    // Examples belong to the schema: Swagger UI would fill in those of the parameter and send them.
    parameters: {
      AcceptLanguage: {
        name: 'accept-language',
        in: 'header',
        description: 'Languages for titles and descriptions, best first (RFC 9110).',
        schema: { type: 'string', examples: ['de-CH, de;q=0.9, en;q=0.5'] },
      },
      RequestId: {
        name: 'x-request-id',
        in: 'header',
        description: 'A UUID that you choose for this request. Anything else is ignored.',
        schema: { type: 'string', examples: [requestId] },
      },
      IfMatch: {
        name: 'if-match',
        in: 'header',
        description:
          'The `etag` of your last read of the record, or `*`. If the record has changed since, nothing is done: 412. Only the part before the dot counts.',
        schema: { type: 'string', examples: [etag] },
      },
      IdempotencyKey: {
        name: 'idempotency-key',
        in: 'header',
        description:
          'A text that you choose, 1 to 255 printable ASCII characters. It makes this creation safe to repeat for 24 hours. Use a new one for each creation.',
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$', examples: ['hire-2026-11-zoe'] },
      },
      IfNoneMatch: {
        name: 'if-none-match',
        in: 'header',
        description: 'The `etag` of your last answer. If nothing has changed, the answer is 304 without a body.',
        schema: { type: 'string', examples: [etag] },
      },
    },
    headers: {
      RequestId: text('The id of this request, also in the logs: your x-request-id if it is a UUID', requestId),
      ETag: text('The version of the record; after the dot, that of the answer', etag),
      Location: text('The path to read the new record', '/api/admin/users/v4/users/zoe'),
      Replayed: text('`true` if an earlier call with the same Idempotency-Key has created the record', 'true'),
      ContentLanguage: text('Languages of the texts in the answer', 'en-GB'),
      IgnoredParameters: text('Query parameters that the endpoint does not know', 'serach_term'),
      RulesPending: text('`true` if roles that rules give or take by this change follow within seconds', 'true'),
      Challenge: text('What is wrong with the token (RFC 6750)', 'Bearer error="invalid_token"'),
      RetryAfter: text('Seconds to wait', '2'),
    },
    responses: {
      ...responses,
      NotModified: {
        description: 'Nothing has changed: the answer would be the same as before.',
        headers: {
          'x-request-id': { $ref: '#/components/headers/RequestId' },
          etag: { $ref: '#/components/headers/ETag' },
        },
      },
    },
    examples: errorExamples(paths + JSON.stringify(responses)),
    schemas: shared.used(),
  }
}

if (import.meta.main) await keepCurrent('schemas/openapi.json', openapi, 'npm run openapi')
