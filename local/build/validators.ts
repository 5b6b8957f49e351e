import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Ajv, type AnySchema, type Options, type Vocabulary } from 'ajv'
import { build } from 'esbuild'
import type { Contract } from '../../schemas/contract.ts'
import { addFormats } from './formats.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
// Node and vitest differ in the default import of these CommonJS files.
const require = createRequire(import.meta.url)
const newerKeywords: Vocabulary = require('ajv/dist/vocabularies/next').default
export const standalone: (ajv: Ajv, exported: Record<string, string>) => string = require('ajv/dist/standalone').default

/** An endpoint's validator as the text of an ES module. Handlers load it instead of the schema compiler. */
export async function validatorSource(contract: Contract, location: string | undefined): Promise<string> {
  const schemas = { validate: requestSchema(contract), ...(contract.item ? { item: contract.item } : {}) }
  const readAt = location === undefined ? '' : `export const location = ${JSON.stringify(location)}\n`
  return `${await validatorsSource(schemas)}\nexport default validate\n${readAt}`
}

/** Validators as the text of an ES module that exports each by its name. */
export async function validatorsSource(schemas: Readonly<Record<string, unknown>>): Promise<string> {
  const ajv = newAjv({ inlineRefs: false, loopRequired: 1, code: { source: true, esm: true, optimize: 2 } })
  for (const [name, schema] of Object.entries(withShared(schemas))) ajv.addSchema(schema as AnySchema, name)
  const exported = Object.fromEntries(Object.keys(schemas).map((name) => [name, name]))
  const code = compact(standalone(ajv, exported))
  // ajv's ES modules call `require` for their few lines of run time. esbuild puts these in, and drops what is not used.
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node24',
    charset: 'utf8',
    minifySyntax: true,
  })
  return expectNo(/\bschema\d+\b/, outputFiles[0]?.text ?? '')
}

/** A schema compiler with our formats. It reports every fault of a request, not only the first. */
export function newAjv(options: Options): Ajv {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, messages: false, ...options })
  // Of the newer drafts only the keywords that the contracts use: support for dynamic references makes code longer.
  ajv.addVocabulary(newerKeywords)
  addFormats(ajv)
  return ajv
}

/** Shorter schemas take less room where they are than a call of a shared function. */
const WORTH_SHARING = 75

/** Schemas that come more than once become references to one schema, for which ajv writes one function. */
function withShared(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const seen = new Map<string, number>()
  const count = (schema: unknown): void => {
    const text = JSON.stringify(schema)
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    // What is inside a shared schema is written once anyway.
    if (times === 1 || text.length < WORTH_SHARING) mapValues(schema, (inner) => count(inner))
  }
  for (const schema of Object.values(schemas)) mapValues(schema, count)
  const shared = [...seen].filter(([text, times]) => times > 1 && text.length >= WORTH_SHARING).map(([text]) => text)
  const named = (schema: unknown): unknown => {
    const at = shared.indexOf(JSON.stringify(schema))
    return at < 0 ? mapValues(schema, named) : { $ref: `shared${at}` }
  }
  return {
    ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, mapValues(schema, named)])),
    ...Object.fromEntries(shared.map((text, at) => [`shared${at}`, mapValues(JSON.parse(text), named)])),
  }
}

/** The same schema with `change` applied to the schemas of its properties and items. Descriptions are dropped. */
function mapValues(schema: unknown, change: (inner: unknown) => unknown): unknown {
  const { description: _, ...kept } = schema as { description?: string }
  const { properties, items } = kept as { properties?: Record<string, unknown>; items?: unknown }
  return {
    ...kept,
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, change(inner)])) }
      : {}),
    ...(items ? { items: change(items) } : {}),
  }
}

/** The schema of path, query and body as one object, so that one run finds the faults of all of them. */
export function requestSchema({ path, query, body }: Contract) {
  const parts = Object.entries({ path, query, body }).filter(([, schema]) => schema !== undefined)
  return { type: 'object', properties: Object.fromEntries(parts), required: parts.map(([part]) => part) }
}

/** What ajv writes for each fault, and what validators call instead. */
const fault =
  /const (err\d+) = \{instancePath(?::(.+?))?,schemaPath:"(?:[^"\\]|\\.)*",keyword:("\w+"),params:(.+?)\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;/gs
const calls = `const found = (all, instancePath, keyword, params = {}) => { const fault = { instancePath, keyword, params }; return all === null ? [fault] : (all.push(fault), all) };
const ofType = (all, at, type) => found(all, at, "type", { type });
const ofLimit = (all, at, keyword, limit) => found(all, at, keyword, { limit });
const ofMissing = (all, at, missingProperty) => found(all, at, "required", { missingProperty });
const ofUnknown = (all, at, additionalProperty) => found(all, at, "additionalProperties", { additionalProperty });
const more = (all, { errors }) => { for (const one of errors) all.push(one) };
const joined = (all, { errors }) => all === null ? errors : (more(all, { errors }), all);
const charactersIn = (text) => { let n = 0; for (let at = 0; at < text.length; n++) at += text.codePointAt(at) > 65535 ? 2 : 1; return n };
const isObject = (value) => value && typeof value == "object" && !Array.isArray(value);
`

/**
 * Shortens ajv's code, without which the largest bundles would exceed their limit (docs/decisions/bundles.md): each fault is noted by
 * one short call, ajv's functions take what they use only, and values of the schema are written where they are
 * used, so that esbuild can drop the schema. Throws if a new version of ajv writes other code.
 */
export function compact(source: string): string {
  const noted = source.replaceAll(
    fault,
    (_all, _name, at = 'instancePath', keyword, params) => `vErrors = ${callFor(at, keyword, params)};errors++;`,
  )
  const called = noted
    .replaceAll(parameters, 'instancePath=""')
    .replaceAll(given, (_all, at = 'instancePath') => at)
    .replaceAll(/(\w+) && typeof \1 == "object" && !Array\.isArray\(\1\)/g, 'isObject($1)')
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', 'charactersIn')
  return calls + withLiterals(uncounted(bounded(expectNo(/schemaPath|parentData/, called))))
}

/** No list may have as many items as this. Of a longer one only the first are looked at: it is refused anyway. */
const MOST_ITEMS = 2000

/** Keeps the time linear and short that a body takes which is wrong a hundred thousand times. */
function bounded(source: string): string {
  return source
    .replaceAll(
      /("maxItems",\d+\);(?:(?!const len).)*?const len\d+ = )(\w+\.length);/gs,
      `$1Math.min($2, ${MOST_ITEMS});`,
    )
    .replaceAll(
      /vErrors = vErrors === null \? (\w+)\.errors : vErrors\.concat\(\1\.errors\);/g,
      'vErrors = joined(vErrors,$1);',
    )
}

/** What ajv's functions get besides the value: only its place is used. */
const parameters = '{instancePath="", parentData, parentDataProperty, rootData=data}={}'
const given = /\{instancePath(?::([^{}]+?))?,parentData:[^{}]+?,rootData\}/g

/** Collects faults in one list. Where ajv compares how many there were before, as for `not`, it counts them still. */
function uncounted(source: string): string {
  if (source.includes('_errs')) return source
  const listed = source
    .replaceAll('let vErrors = null;let errors = 0;', 'const vErrors = [];')
    .replaceAll(/vErrors = (\w+\(vErrors,[^;]*\));errors\+\+;/g, '$1;')
    .replaceAll(/vErrors = joined\(vErrors,(\w+)\);errors = vErrors\.length;/g, 'more(vErrors,$1);')
    .replaceAll('return errors === 0;', 'return vErrors.length === 0;')
  return expectNo(/(?<!const )vErrors =|(?<!\.)\berrors(?: =|\+\+)/, listed)
}

function callFor(at: string, keyword: string, params: string): string {
  const [, name, value] = params.match(/^\{(type|limit|missingProperty|additionalProperty): (.+)\}$/) ?? []
  if (keyword === '"type"' && name === 'type') return `ofType(vErrors,${at},${value})`
  if (name === 'limit') return `ofLimit(vErrors,${at},${keyword},${value})`
  if (keyword === '"required"' && name) return `ofMissing(vErrors,${at},${value})`
  if (keyword === '"additionalProperties"' && name) return `ofUnknown(vErrors,${at},${value})`
  // No answer shows a pattern.
  return `found(vErrors,${at},${keyword}${keyword === '"pattern"' ? '' : `,${params}`})`
}

function withLiterals(source: string): string {
  const schemas = new Map(
    [...source.matchAll(/const (schema\d+) = (\{.*?\});(?=const|function|export)/g)].map(([, name, json]) => [
      name,
      JSON.parse(json ?? ''),
    ]),
  )
  const literal = (call: string, name: string, path: string, after: string) => {
    let value = schemas.get(name)
    for (const [, dotted, quoted, index] of path.matchAll(/\.(\w+)|\["([^"]+)"\]|\[(\d+)\]/g))
      value = value?.[dotted ?? quoted ?? Number(index)]
    return value === undefined ? call : `${JSON.stringify(after ? namesIn(value) : value)}${after}`
  }
  return source.replaceAll(/(schema\d+)((?:\.\w+|\["[^"]+"\]|\[\d+\])+)(, key\d+\)|)/g, literal)
}

/** Where a key is looked up in properties, only their names are needed. */
const namesIn = (properties: object) => Object.fromEntries(Object.keys(properties).map((name) => [name, 1]))

function expectNo(unknown: RegExp, source: string): string {
  const at = source.search(unknown)
  if (at < 0) return source
  const { version } = JSON.parse(readFileSync(`${root}node_modules/ajv/package.json`, 'utf8'))
  throw new Error(`local/build/validators.ts does not know this code of ajv ${version}: ${source.slice(at, at + 120)}`)
}
