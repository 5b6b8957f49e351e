import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { _, Ajv, type AnySchema, type CodeKeywordDefinition, type Name, type Options, type Vocabulary } from 'ajv'
import { build } from 'esbuild'
import type { Contract } from '../../schemas/contract.ts'
import { addFormats } from './formats.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
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
  const ajv = newAjv({ code: { source: true, esm: true } })
  ajv.removeKeyword('items').addKeyword(firstItems)
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema as AnySchema, name)
  const code = standalone(ajv, Object.fromEntries(Object.keys(schemas).map((name) => [name, name])))
  // ajv's modules call `require` for a few lines of run-time code. esbuild inlines these.
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node24',
    charset: 'utf8',
  })
  return outputFiles[0]?.text ?? ''
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
