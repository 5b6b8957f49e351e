import { createRequire } from 'node:module'
import { _, Ajv, type AnySchema, type CodeKeywordDefinition, type Name, type Options, type Vocabulary } from 'ajv'
import { build } from 'esbuild'
import { isObject } from '../../domain/base/values.ts'
import type { Contract } from '../../schemas/contract.ts'
import { root } from '../shared/root.ts'
import { addFormats } from './schemaFormats.ts'

// Node and vitest differ in the default import of these CommonJS files.
const require = createRequire(import.meta.url)
const newerKeywords: Vocabulary = require('ajv/dist/vocabularies/next').default
const standalone: (ajv: Ajv, exported: Record<string, string>) => string = require('ajv/dist/standalone').default
const { Type } = require('ajv/dist/compile/util')
const not: (name: Name) => Name = require('ajv/dist/compile/codegen').not

/** An endpoint's validator as the text of an ES module. Handlers load it instead of the schema compiler. */
export async function validatorSource(contract: Contract, location: string | undefined): Promise<string> {
  const schemas = { validate: requestSchema(contract), ...(contract.item ? { item: contract.item } : {}) }
  const readAt = location === undefined ? '' : `export const location = ${JSON.stringify(location)}\n`
  return `${await validatorsSource(schemas)}\nexport default validate\n${readAt}`
}

/** Validators as the text of an ES module that exports each by its name. */
export async function validatorsSource(schemas: Readonly<Record<string, unknown>>): Promise<string> {
  const ajv = newAjv({ code: { source: true, esm: true }, inlineRefs: false })
  ajv.removeKeyword('items').addKeyword(firstItems)
  const { wholes, parts } = withSharedParts(schemas)
  for (const [name, schema] of Object.entries({ ...wholes, ...parts })) ajv.addSchema(schema as AnySchema, name)
  const code = standalone(ajv, Object.fromEntries(Object.keys(schemas).map((name) => [name, name])))
  // ajv's modules call `require` for a few lines of run-time code. esbuild inlines these.
  const { outputFiles } = await build({
    stdin: { contents: shorter(code), resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node24',
    charset: 'utf8',
  })
  return outputFiles[0]?.text ?? ''
}

/**
 * The same code, shorter. Left out is what no message of a fault needs: the place of the keyword in the schema, the text of a pattern,
 * and the objects around a value. One function adds a fault, and one adds those of a shared part: ajv would make a new list each time, which takes long
 * when 10,000 items are wrong.
 */
const shorter = (code: string): string =>
  code
    .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '')
    .replaceAll(/(keyword:"pattern",params:)\{pattern: ?"(?:[^"\\]|\\.)*"\}/g, '$1{}')
    .replaceAll(
      /if\(vErrors === null\)\{vErrors = \[(err\d+)\];\}else \{vErrors\.push\(\1\);\}/g,
      'vErrors = withOne(vErrors, $1);',
    )
    .replaceAll(/, parentData, parentDataProperty, rootData=data(?=\}=)/g, '')
    .replaceAll(/,parentData:[^{},]*,parentDataProperty:[^{},]*,rootData(?=\})/g, '')
    .replaceAll(/vErrors === null \? (\w+\.errors) : vErrors\.concat\(\1\)/g, 'withAll(vErrors, $1)')
    .concat(adding)

const adding = `
function withOne(all, one) { if (all === null) return [one]; all.push(one); return all }
function withAll(all, more) { if (all === null) return more; for (const one of more) all.push(one); return all }
`

/** A part that occurs again is compiled once if its JSON is at least this long: a call of a function is code, too. */
const LONG_PART = 60

/** Schemas whose long parts are schemas of their own where they occur again, so that each is compiled once. */
function withSharedParts(described: Readonly<Record<string, unknown>>) {
  const schemas = mapped(described, withoutDescriptions)
  const times = new Map<string, number>()
  const count = (schema: unknown): void => {
    const text = JSON.stringify(schema)
    const before = times.get(text) ?? 0
    times.set(text, before + 1)
    if (before === 0) for (const part of partsOf(schema)) count(part)
  }
  for (const schema of Object.values(schemas)) count(schema)
  const names = new Map<string, string>()
  const parts: Record<string, unknown> = {}
  const shared = (schema: unknown): unknown => {
    const text = JSON.stringify(schema)
    if (times.get(text) === 1 || text.length < LONG_PART) return withParts(schema, shared)
    const name = names.get(text) ?? `part${names.size}`
    if (!names.has(text)) {
      names.set(text, name)
      parts[name] = withParts(schema, shared)
    }
    return { $ref: name }
  }
  return { wholes: mapped(schemas, (schema) => withParts(schema, shared)), parts }
}

/** A validator holds its schemas, for their lists of values. */
function withoutDescriptions(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const { description: _description, ...rest } = schema
  return withParts(rest, withoutDescriptions)
}

/** Keywords whose value is a schema, and those whose value is a list of schemas or has them by name. */
const ofOne: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else'])
const ofSeveral: ReadonlySet<string> = new Set(['anyOf', 'allOf', 'oneOf', 'properties', 'patternProperties'])

/** The same schema with each schema directly within it changed. */
function withParts(schema: unknown, change: (part: unknown) => unknown): unknown {
  if (!isObject(schema)) return schema
  return mapped(schema, (value, keyword) => {
    if (ofOne.has(keyword)) return change(value)
    if (!ofSeveral.has(keyword)) return value
    return Array.isArray(value) ? value.map(change) : mapped(value as object, change)
  })
}

const mapped = (values: object, change: (value: unknown, name: string) => unknown): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))

/** The schemas directly within a schema. */
function partsOf(schema: unknown): unknown[] {
  const found: unknown[] = []
  withParts(schema, (part) => found.push(part))
  return found
}

/** A schema compiler with our formats. It reports every fault of a request, not only the first. */
export function newAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, messages: false, ...options })
  // Of the newer drafts only the keywords that the contracts use: support for dynamic references makes the code longer.
  ajv.addVocabulary(newerKeywords)
  addFormats(ajv)
  return ajv
}

/**
 * Validators check this many items of a list, or one more than it may have, if that is more: a longer one is refused for its
 * length.
 */
export const MOST_ITEMS = 2000

/** The keyword `items` with this bound. Without it, a body of 1 MB can have so many faults that refusing it takes seconds. */
const firstItems: CodeKeywordDefinition = {
  keyword: 'items',
  before: 'contains',
  type: 'array',
  schemaType: ['object', 'boolean'],
  code(context) {
    const { gen, data, it, parentSchema } = context
    const most = Math.max(MOST_ITEMS, Number(parentSchema['maxItems'] ?? 0) + 1)
    const valid = gen.let('valid', true)
    const isItemValid = gen.name('valid')
    gen.forRange('i', 0, _`Math.min(${data}.length, ${most})`, (index) => {
      context.subschema({ keyword: 'items', dataProp: index, dataPropType: Type.Num }, isItemValid)
      gen.if(not(isItemValid), () => {
        gen.assign(valid, false)
        if (!it.allErrors) gen.break()
      })
    })
    context.ok(valid)
  },
}

/** The schema of path, query and body as one object, so that one run finds all faults. */
export function requestSchema({ path, query, body }: Contract) {
  const parts = Object.entries({ path, query, body }).filter(([, schema]) => schema !== undefined)
  return { type: 'object', properties: Object.fromEntries(parts), required: parts.map(([part]) => part) }
}
