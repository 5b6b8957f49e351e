import type { Plugin } from 'esbuild'
import type { Contract, Schema } from '../../schemas/contract.ts'

/** What no function reads of a contract: texts, and schemas of answers. */
const unread: ReadonlySet<string> = new Set([
  'title',
  'tag',
  'answers',
  'errors',
  'experimental',
] satisfies (keyof Contract)[])
/** Schemas of which only the presence counts: their validators are compiled. */
const compiled: ReadonlySet<string> = new Set(['path', 'body', 'item'] satisfies (keyof Contract)[])

/** Bundles hold contracts without their schemas: 5 to 8 kB less in a function. Sources and tests have them whole. */
export const shortContracts: Plugin = {
  name: 'short-contracts',
  setup(build) {
    build.onLoad({ filter: /[\\/]schemas[\\/]\w+\.ts$/ }, async ({ path }) => {
      const exported = Object.entries((await import(path)) as Record<string, unknown>)
      if (!exported.some(([, value]) => isContract(value)) || exported.some(([, value]) => isFunction(value))) return
      const lines = exported.map(([name, value]) => {
        return `export const ${name} = ${sourceOf(isContract(value) ? shortened(value) : value)}`
      })
      return { contents: lines.join('\n') }
    })
  },
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'access' in value && 'answers' in value

/** A contract as functions need it: of query parameters, names and types. */
const shortened = (contract: Contract): object =>
  Object.fromEntries(
    Object.entries(contract)
      .filter(([name]) => !unread.has(name))
      .map(([name, value]) => [name, compiled.has(name) ? {} : value])
      .concat(contract.query ? [['query', parametersOf(contract.query)]] : []),
  )

const parametersOf = ({ properties = {} }: Schema): object => ({
  properties: Object.fromEntries(
    Object.entries(properties as Record<string, Schema>).map(([name, { type }]) => [name, { type }]),
  ),
})

/** A plain value as source text; codes of faults are found by regular expressions. */
function sourceOf(value: unknown): string {
  if (value instanceof RegExp) return String(value)
  if (Array.isArray(value)) return `[${value.map(sourceOf).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}:${sourceOf(one)}`)
    .join(',')}}`
}
