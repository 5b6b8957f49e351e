import type { AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import type { Contract } from '../../schemas/contract.ts'
import { addFormats } from './formats.ts'

/** An endpoint's validator as the text of an ES module, which then checks requests with no schema compiler at hand. */
export function validatorSource(contract: Contract, location: string | undefined): string {
  const schemas = { validate: requestSchema(contract), ...(contract.item ? { item: contract.item } : {}) }
  const readAt = location === undefined ? '' : `export const location = ${JSON.stringify(location)}\n`
  return `${validatorsSource(schemas)}\nexport default validate\n${readAt}`
}

/** Validators as the text of an ES module that exports each by its name. */
export function validatorsSource(schemas: Readonly<Record<string, unknown>>): string {
  const ajv = new Ajv2020({
    // An answer names every fault of the request, not only the first.
    allErrors: true,
    inlineRefs: false,
    loopRequired: 1,
    allowUnionTypes: true,
    code: { source: true, esm: true, optimize: 2 },
  })
  addFormats(ajv)
  for (const [name, schema] of Object.entries(withShared(schemas))) ajv.addSchema(schema as AnySchema, name)
  const exported = Object.fromEntries(Object.keys(schemas).map((name) => [name, name]))
  return importing(uncounted(plain(compact(literal(standalone.default(ajv, exported))))))
}

/** A schema that is shorter than this takes less room where it stands than the call of another function does. */
const WORTH_SHARING = 90

/**
 * Schemas of values that stand in several places get a name, and are referred to by it: ajv then writes one function
 * for all of those places.
 */
function withShared(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const seen = new Map<string, number>()
  const count = (schema: unknown): void => {
    const text = JSON.stringify(schema)
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    // What lies inside something that is shared is written once anyway.
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

/** The same schema with each schema of its values put through `change`. */
function mapValues(schema: unknown, change: (inner: unknown) => unknown): unknown {
  const { properties, items } = schema as { properties?: Record<string, unknown>; items?: unknown }
  return {
    ...(schema as object),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, change(inner)])) }
      : {}),
    ...(items ? { items: change(items) } : {}),
  }
}

/** All that a request brings, as one object, so that one run finds the faults of all its parts. */
export function requestSchema({ path, query, body }: Contract) {
  const parts = Object.entries({ path, query, body }).filter(([, schema]) => schema !== undefined)
  return { type: 'object', properties: Object.fromEntries(parts), required: parts.map(([part]) => part) }
}

const fault =
  /const (err\d+) = \{instancePath(?::(.+?))?,schemaPath:"(?:[^"\\]|\\.)*",keyword:("\w+"),params:(.+?),message:(.+?)\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;/g
const passedOn =
  /vErrors = vErrors === null \? (validate\d+)\.errors : vErrors\.concat\(\1\.errors\);errors = vErrors\.length;/g

/** What a validator calls instead: one function for any fault, and shorter ones for those that it has most of. */
const calls = `const found = (all, instancePath, keyword, params = {}) => { const fault = { instancePath, keyword, params }; return all === null ? [fault] : (all.push(fault), all) };
const ofType = (all, at, type) => found(all, at, "type", { type });
const ofLimit = (all, at, keyword, limit) => found(all, at, keyword, { limit });
const ofMissing = (all, at, missingProperty) => found(all, at, "required", { missingProperty });
const ofUnknown = (all, at, additionalProperty) => found(all, at, "additionalProperties", { additionalProperty });
const passedOn = (all, more) => all === null ? more : all.concat(more);
const isRecord = (value) => value && typeof value === "object" && !Array.isArray(value);
const count = (all) => all === null ? 0 : all.length;
`

/** Notes each fault by one short call: ajv writes a line of its own for each, which is most of a validator's weight. */
const compact = (source: string): string =>
  calls +
  source
    .replaceAll(
      fault,
      (_all, _name, at = 'instancePath', keyword, params) => `vErrors = ${callFor(at, keyword, params)};errors++;`,
    )
    .replaceAll(passedOn, 'vErrors = passedOn(vErrors,$1.errors);errors = vErrors.length;')

/** Of what ajv's functions hand to each other, schemas without dynamic references need the place and the faults only. */
const plain = (source: string): string =>
  source
    .replaceAll(/(\{instancePath="")(?:, \w+(?:=\w+|=\{\})?)*\}=\{\}/g, '$1}={}')
    .replaceAll(/(\{instancePath:[^{}]*?),parentData:[^{}]*?,dynamicAnchors\}/g, '$1}')
    .replaceAll(/const evaluated\d+ = (validate\d+)\.evaluated;(?:if\(evaluated\d+\.\w+\)\{[^{}]*\})*/g, '')
    .replaceAll(/validate\d+\.evaluated = \{[^{}]*\};/g, '')

const isRecord = /(\w+) && typeof \1 == "object" && !Array\.isArray\(\1\)/g

/**
 * The number of faults follows from the faults themselves, so a validator need not count them; and what it asks most of
 * all gets a name, or a list in place of a chain.
 */
function uncounted(source: string): string {
  const shorter = source
    .replaceAll(/errors\+\+;|let errors = 0;|(?<![.\w])errors = (?:vErrors\.length|_errs\d+);/g, '')
    .replaceAll(/const (_errs\d+) = errors;/g, 'const $1 = count(vErrors);')
    .replaceAll(/(_errs\d+) === errors(?!\w)/g, '$1 === count(vErrors)')
    .replaceAll('return errors === 0;', 'return vErrors === null;')
    .replaceAll(isRecord, 'isRecord($1)')
    .replaceAll(/if\(!\((\(*key\d+ === [^{]*)\)\)\{/g, (call, chain: string) => {
      const [, key] = chain.match(/(key\d+)/) ?? []
      const names = [...chain.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([name]) => name)
      return names.length > 1 ? `if(!([${names}].includes(${key}))){` : call
    })
  const left = shorter.match(/(?<![.\w])errors(?!\w)/)
  if (left)
    throw new Error(`A validator still counts its faults: ${shorter.slice(left.index, Number(left.index) + 80)}`)
  return shorter
}

function callFor(at: string, keyword: string, params: string): string {
  const [, name, value] = params.match(/^\{(type|limit|missingProperty|additionalProperty): (.+)\}$/) ?? []
  if (keyword === '"type"' && name === 'type') return `ofType(vErrors,${at},${value})`
  if (name === 'limit') return `ofLimit(vErrors,${at},${keyword},${value})`
  if (keyword === '"required"' && name) return `ofMissing(vErrors,${at},${value})`
  if (keyword === '"additionalProperties"' && name) return `ofUnknown(vErrors,${at},${value})`
  // A pattern is nothing to tell anybody; what the others say follows from keyword and parameters.
  return `found(vErrors,${at},${keyword}${keyword === '"pattern"' ? '' : `,${params}`})`
}

/** Values that a validator takes out of its schema are written out, so that bundlers can drop the schema. */
const literal = (source: string): string => {
  const schemas = new Map(
    [...source.matchAll(/const (schema\d+) = (\{.*?\});(?=const|function|export)/g)].map(([, name, json]) => [
      name,
      JSON.parse(json ?? ''),
    ]),
  )
  const written = (call: string, name: string, path: string, after: string) => {
    let value = schemas.get(name)
    for (const [, dotted, quoted, index] of path.matchAll(/\.(\w+)|\["([^"]+)"\]|\[(\d+)\]/g))
      value = value?.[dotted ?? quoted ?? Number(index)]
    return value === undefined ? call : `${JSON.stringify(after ? namesIn(value) : value)}${after}`
  }
  return source.replaceAll(/(schema\d+)((?:\.\w+|\["[^"]+"\]|\[\d+\])+)(, key\d+\)|)/g, written)
}

/** Of properties that keys are looked up in, only the names are wanted. */
const namesIn = (properties: object) => Object.fromEntries(Object.keys(properties).map((name) => [name, 1]))

/** ajv's ES modules still call `require` for the few lines that they need at run time: those become imports. */
function importing(source: string): string {
  const modules = new Map<string, string>()
  const body = source.replaceAll(/require\("([^"]+)"\)/g, (_call, path: string) => {
    const name = modules.get(path) ?? `runtime${modules.size}`
    modules.set(path, name)
    return name
  })
  // Tools differ in what the default import of a CommonJS module is; validators want the module.
  const imports = [...modules].map(
    ([path, name]) =>
      `import ${name}Module from '${path}.js'\nconst ${name} = { ...${name}Module, default: ${name}Module.default ?? ${name}Module }\n`,
  )
  return imports.join('') + body.replace(/^"use strict";/, '')
}
