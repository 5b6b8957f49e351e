import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

type HttpApi = string | { method: string; path: string }
type Stream = { filterPatterns: readonly object[]; parallelizationFactor: number }
type Event = { httpApi?: HttpApi; schedule?: unknown; stream?: Stream }

/** The parts of a function in serverless.yml that the build reads. */
type ServiceFunction = {
  handler: string
  permission: string
  timeout?: number
  events?: readonly Event[]
}

/** Method and path of an endpoint. */
export type Route = { name: string; method: string; path: string }

const file = new URL('../../serverless.yml', import.meta.url)
const tableFile = new URL('../../table.yml', import.meta.url)

type Functions = Readonly<Record<string, ServiceFunction>>

let read: Functions | undefined

/** The functions of serverless.yml by name. The file is read once, as that takes some 50 ms. */
export function serviceFunctions(text?: string): Functions {
  // CloudFormation's tags (!GetAtt and others) are read as plain text.
  const functionsIn = (yaml: string): Functions => parse(yaml, { logLevel: 'silent' }).functions
  if (text !== undefined) return functionsIn(text)
  read ??= functionsIn(readFileSync(file, 'utf8'))
  return read
}

/** An index of the table. */
export type TableIndex = { IndexName: string; KeySchema: { AttributeName: string; KeyType: string }[] }

let readTemplate: ReturnType<typeof parse>

/** A copy of the template in table.yml. The file is read once. */
export function tableTemplate() {
  readTemplate ??= parse(readFileSync(tableFile, 'utf8'))
  return structuredClone(readTemplate)
}

/** The properties of the table's CloudFormation resource in table.yml. */
export const tableProperties = (): Record<string, unknown> & { GlobalSecondaryIndexes: TableIndex[] } =>
  tableTemplate().Resources.Table.Properties

/** The permission of a function, one of `custom.permissions`. */
export const permissionOf = (name: string): string => serviceFunctions()[name]?.permission ?? ''

/** Method and path of every endpoint, without the catch-all of unknown paths. */
export const routesOf = (functions: Functions): Route[] =>
  allRoutesOf(functions).filter((route) => !isScim(route) && !isConsole(route))

/** Method and path of SCIM's endpoints. They have no contracts, as SCIM describes itself. */
export const scimRoutesOf = (functions: Functions): Route[] => allRoutesOf(functions).filter(isScim)

/** The console answers files, so it has no contract, either. */
const isConsole = ({ name }: Route): boolean => name === 'console'

const isScim = ({ path }: Route): boolean => path.startsWith('/scim/')

const allRoutesOf = (functions: Functions): Route[] =>
  Object.entries(functions).flatMap(([name, { events = [] }]) =>
    events.flatMap(({ httpApi }) => (httpApi === undefined || httpApi === '*' ? [] : [{ name, ...routeOf(httpApi) }])),
  )

function routeOf(httpApi: HttpApi): Omit<Route, 'name'> {
  if (typeof httpApi !== 'string') return { method: httpApi.method.toUpperCase(), path: httpApi.path }
  const [method = '', path = ''] = httpApi.split(' ')
  return { method: method.toUpperCase(), path }
}
