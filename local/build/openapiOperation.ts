import type { Contract, Schema } from '../../schemas/contract.ts'
import type { AnyFields, AnyOperation, Example, Json } from '../../schemas/reference/describe.ts'
import { recordedAnswer, referenceOf } from '../../schemas/reference/reference.ts'
import { inWords } from '../../schemas/scopes.ts'
import { errorAnswers } from './openapiErrors.ts'
import { ref, type Shared } from './openapiSchemas.ts'
import type { Route } from './yamlFiles.ts'

/** An operation of the document: its contract with the texts of the reference. */
export function operation(contract: Contract, { method }: Route, shared: Shared, location: string | undefined): object {
  const texts = referenceOf(contract.name)
  return {
    operationId: contract.name,
    summary: contract.title,
    description: [texts.text, keyOf(contract), permissionOf(contract), experimentalOf(contract)]
      .filter(Boolean)
      .join('\n\n'),
    tags: [contract.tag],
    ...(contract.experimental ? { 'x-experimental': true } : {}),
    parameters: [
      ...parameters('path', contract.path, shared, texts.path),
      ...parameters('query', contract.query, shared, texts.query, texts.send),
      ref('parameters', 'AcceptLanguage'),
      ref('parameters', 'RequestId'),
      ...conditions(contract, method),
    ],
    ...(contract.body ? { requestBody: requestBody(contract, contract.body, shared, texts) } : {}),
    ...(contract.bytes ? { requestBody: bytesBody(contract, texts) } : {}),
    responses: {
      ...answers(contract, shared, texts, location),
      ...(contract.versioned && method === 'GET' ? notModified : {}),
      ...errorAnswers(contract, method),
    },
  }
}

const notModified = { 304: ref('responses', 'NotModified') }

/** The headers for conditional calls and safe repetitions. */
const conditions = ({ versioned, conditional, item, repeatable }: Contract, method: string): object[] => [
  ...(conditional && !item ? [ref('parameters', 'IfMatch')] : []),
  ...(repeatable ? [ref('parameters', 'IdempotencyKey')] : []),
  ...(versioned && method === 'GET' ? [ref('parameters', 'IfNoneMatch')] : []),
]

const keyOf = ({ repeatable }: Contract) =>
  repeatable
    ? `**With an \`Idempotency-Key\`** the same request can be sent again for 24 hours, and creates nothing twice. The answer has the first status and the current record, or is 404 \`${repeatable}\` if that has been deleted (see *Trying again safely*).`
    : undefined

const permissionOf = ({ access, scopes, feature }: Contract): string =>
  `**Who may call:** ${access === 'administrator' ? 'active users with the role `ADMIN`' : 'every active user'}` +
  (scopes.length > 0 ? `, and service tokens with ${inWords(scopes, (scope) => `\`${scope}\``)}.` : '.') +
  (feature ? ` While the feature \`${feature.name}\` is off, the answer is 403 \`${feature.off}\`.` : '')

const experimentalOf = ({ experimental }: Contract) =>
  experimental ? '**Experimental:** details may still change.' : undefined

/** The example requests of an operation. A test sends them. */
export const examplesOf = ({ title, answers }: Contract, { examples }: AnyOperation): readonly Example[] =>
  examples ?? [{ title, status: Number(Object.keys(answers)[0]) }]

/** The name of an example in the document. */
export const exampleName = ({ title }: Pick<Example, 'title'>): string =>
  title
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join('-') ?? ''

const spellings = 'Several values are separated by commas; the parameter may also be repeated, with or without `[]`.'

function parameters(
  place: 'path' | 'query',
  schema: Schema | undefined,
  shared: Shared,
  fields: AnyFields = {},
  send: Readonly<Record<string, Json>> = {},
): object[] {
  const required = (schema?.required ?? []) as readonly string[]
  return Object.entries((schema?.properties ?? {}) as Record<string, Schema>).map(([name, { description, ...of }]) => {
    const [text = description, example] = fields[name] ?? []
    const isList = of.type === 'array'
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description: [text, isList ? spellings : undefined].filter(Boolean).join(' '),
      ...(isList ? { style: 'form', explode: false } : {}),
      ...withExample(shared.schema(of), example as Json | undefined, place === 'path' ? (example as Json) : send[name]),
    }
  })
}

/** The example goes into the schema, because Swagger UI would fill in and send that of a parameter. */
function withExample(schema: object, shown: Json | undefined, sent: Json | undefined): object {
  if (sent !== undefined) return { schema, example: sent }
  return { schema: shown === undefined ? schema : { ...schema, examples: [shown] } }
}

function requestBody(contract: Contract, body: Schema, shared: Shared, texts: AnyOperation): object {
  const types = ['application/json', ...(contract.mergePatch ? ['application/merge-patch+json'] : [])]
  const schema = shared.schema(itemsShown(contract, body), texts.body)
  const content = { schema, examples: Object.fromEntries(bodiesOf(contract, texts)) }
  return { required: true, content: Object.fromEntries(types.map((type) => [type, content])) }
}

/** The schema of bytes is empty in OpenAPI 3.1: their media type says it all. Without one, generated clients would send nothing. */
const bytesBody = (contract: Contract, texts: AnyOperation) => ({
  required: true,
  content: { 'application/octet-stream': { schema: {}, examples: Object.fromEntries(bodiesOf(contract, texts)) } },
})

const bodiesOf = (contract: Contract, texts: AnyOperation) =>
  examplesOf(contract, texts).map((one) => [exampleName(one), { summary: one.title, value: one.body }] as const)

/** The body of a batch accepts any item, as each is validated on its own. The document shows the item's schema. */
function itemsShown({ item }: Contract, body: Schema): object {
  if (!item) return body
  const { items } = body.properties as { items: object }
  return { ...body, properties: { ...body.properties, items: { ...items, items: item } } }
}

function answers(
  contract: Contract,
  shared: Shared,
  texts: AnyOperation,
  location: string | undefined,
): Record<string, object> {
  const headers = {
    'x-request-id': ref('headers', 'RequestId'),
    'content-language': ref('headers', 'ContentLanguage'),
    ...(contract.query ? { 'x-ignored-parameters': ref('headers', 'IgnoredParameters') } : {}),
    ...(applyingRules.has(contract.name) ? { 'x-rules-pending': ref('headers', 'RulesPending') } : {}),
  }
  const ofRecord = contract.versioned ? { etag: ref('headers', 'ETag') } : {}
  const ofCreation = {
    ...(location ? { location: ref('headers', 'Location') } : {}),
    ...(contract.repeatable ? { 'idempotency-replayed': ref('headers', 'Replayed') } : {}),
  }
  return Object.fromEntries(
    Object.entries(contract.answers).map(([status, schema]) => [
      status,
      {
        description: texts.answers[status],
        headers: { ...headers, ...(schema ? ofRecord : {}), ...(status === '201' ? ofCreation : {}) },
        ...(schema ? { content: contentOf(contract, schema, shared, Number(status), texts) } : {}),
      },
    ]),
  )
}

/** The operations that apply rules to users, or move them to another list while a walk may apply rules. */
const applyingRules: ReadonlySet<string> = new Set([
  'createUser',
  'updateUser',
  'updateUsers',
  'lockUser',
  'unlockUser',
  'deactivateUser',
  'reactivateUser',
  'deleteUser',
  'deleteUsers',
  'restoreUser',
  'restoreUsers',
])

function contentOf(contract: Contract, ...[schema, shared, status, texts]: [Schema, Shared, number, AnyOperation]) {
  return {
    'application/json': answer(contract, schema, shared, status, texts),
    ...(contract.text && status === 200 ? { [contract.text]: { schema: { type: 'string' } } } : {}),
  }
}

function answer(contract: Contract, schema: Schema, shared: Shared, status: number, texts: AnyOperation) {
  const shown = examplesOf(contract, texts).flatMap((example) => {
    const value = example.status === status ? recordedAnswer(contract.name, exampleName(example)) : undefined
    return value === undefined ? [] : [[exampleName(example), { summary: example.title, value }] as const]
  })
  const examples = shown.length > 0 ? { examples: Object.fromEntries(shown) } : {}
  return { schema: shared.schema(schema, texts.answer), ...examples }
}
