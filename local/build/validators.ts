import type { AnySchema } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import addFormats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { Contract } from '../../schemas/contract.ts'

/** An endpoint's validator as the text of an ES module, which then checks requests with no schema compiler at hand. */
export function validatorSource(contract: Contract): string {
  const schemas = { validate: requestSchema(contract), ...(contract.item ? { item: contract.item } : {}) }
  return `${validatorsSource(schemas)}\nexport default validate\n`
}

/** Validators as the text of an ES module that exports each by its name. */
export function validatorsSource(schemas: Readonly<Record<string, unknown>>): string {
  const ajv = new Ajv2020({
    // An answer names every fault of the request, not only the first.
    allErrors: true,
    allowUnionTypes: true,
    code: { source: true, esm: true, optimize: 2 },
  })
  addFormats.default(ajv)
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema as AnySchema, name)
  const exported = Object.fromEntries(Object.keys(schemas).map((name) => [name, name]))
  return importing(compact(literal(standalone.default(ajv, exported))))
}

/** All that a request brings, as one object, so that one run finds the faults of all its parts. */
export function requestSchema({ path, query, body }: Contract) {
  const parts = Object.entries({ path, query, body }).filter(([, schema]) => schema !== undefined)
  return { type: 'object', properties: Object.fromEntries(parts), required: parts.map(([part]) => part) }
}

const fault =
  /const (err\d+) = \{instancePath(?::(.+?))?,schemaPath:"(?:[^"\\]|\\.)*",keyword:("\w+"),params:(.+?),message:(.+?)\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;/g
const found =
  'const found = (all, instancePath, keyword, params) => { const fault = { instancePath, keyword, params }; return all === null ? [fault] : (all.push(fault), all) };\n'

/** Notes each fault by one short call: ajv writes a line of its own for each, which is most of a validator's weight. */
const compact = (source: string): string =>
  found +
  source.replaceAll(
    fault,
    (_all, _name, at = 'instancePath', keyword, params) =>
      // A pattern is nothing to tell anybody; what the others say follows from keyword and parameters.
      `vErrors = found(vErrors,${at},${keyword},${keyword === '"pattern"' ? '{}' : params});errors++;`,
  )

/** Values that a validator takes out of its schema are written out, so that bundlers can drop the schema. */
const literal = (source: string): string => {
  const schemas = new Map(
    [...source.matchAll(/const (schema\d+) = (\{.*?\});(?=const|function|export)/g)].map(([, name, json]) => [
      name,
      JSON.parse(json ?? ''),
    ]),
  )
  return source.replaceAll(/(schema\d+)((?:\.\w+|\["[^"]+"\]|\[\d+\])+)/g, (call, name, path: string) => {
    let value = schemas.get(name)
    for (const [, dotted, quoted, index] of path.matchAll(/\.(\w+)|\["([^"]+)"\]|\[(\d+)\]/g))
      value = value?.[dotted ?? quoted ?? Number(index)]
    return value === undefined ? call : JSON.stringify(value)
  })
}

/** ajv's ES modules still call `require` for the few lines that they need at run time: those become imports. */
function importing(source: string): string {
  const modules = new Map<string, string>()
  const inlined = source.replaceAll(/require\("ajv-formats\/dist\/formats"\)\.fullFormats\.(\w+)/g, (call, name) =>
    fullFormats[name as keyof typeof fullFormats] instanceof RegExp ? String(fullFormats[name as 'email']) : call,
  )
  const body = inlined.replaceAll(/require\("([^"]+)"\)/g, (_call, path: string) => {
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
