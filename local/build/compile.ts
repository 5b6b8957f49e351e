// npm run compile: writes into schemas/compiled the parts of contracts that functions need, the validators of requests and of import
// files, and the routes of serverless.yml.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Contract } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import { recordSchemas } from '../../schemas/directory.ts'
import { contractImports, contractSource } from './compiledContract.ts'
import { locationOf } from './createdLocation.ts'
import { requestSchema, validatorSource, validatorsSource } from './validators.ts'
import { type Route, routesOf, serviceFunctions } from './yamlFiles.ts'

const folder = new URL('../../schemas/compiled/', import.meta.url)
/** Contracts by which functions judge bodies together: a module of both has once what their schemas share. */
const together = { userBodies: ['createUser', 'updateUser'], groupBodies: ['createGroup', 'updateGroup'] } as const

const made = [
  'compile.ts',
  'compiledContract.ts',
  'schemaFormats.ts',
  'yamlFiles.ts',
  'validators.ts',
  '../../schemas/contract.ts',
  '../../package.json',
]

/** Compiles everything if anything changed. Returns whether it did. */
export async function compile(): Promise<boolean> {
  const routes = routesOf(serviceFunctions())
  const all = Object.values(contracts)
  const names = [
    ...[...all.map(({ name }) => name), ...Object.keys(together)].map((name) => `${name}.js`),
    'directory.js',
    'routes.js',
    'fingerprint',
  ]
  const fingerprint = fingerprintOf(all, routes)
  if (names.every((name) => existsSync(new URL(name, folder))) && read('fingerprint') === fingerprint) return false
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) if (!names.includes(name)) rmSync(new URL(name, folder))
  const compiled = all.map(async (contract) => {
    const validators = await validatorSource(contract, locationOf(contract, routes))
    write(`${contract.name}.js`, `${contractImports}${validators}export const contract = ${contractSource(contract)}\n`)
  })
  const bodies = Object.entries(together).map(async ([name, some]) => write(`${name}.js`, await sourceOfAll(some)))
  const directory = validatorsSource(recordSchemas).then((text) => write('directory.js', text))
  await Promise.all([...compiled, ...bodies, directory])
  write('routes.js', `export default ${JSON.stringify(routes, null, 2)}\n`)
  // Written last, so that an interrupted run is repeated.
  write('fingerprint', fingerprint)
  return true
}

/** A module that exports several compiled contracts, each by its name. They only judge bodies, so they lack the order of answers. */
async function sourceOfAll(names: readonly string[]): Promise<string> {
  const some = names.map((name) => contracts[name] as Contract)
  const validators = await validatorsSource(
    Object.fromEntries(some.map((contract) => [`${contract.name}Input`, requestSchema(contract)])),
  )
  const compiled = some.map((contract) => {
    const source = contractSource({ ...contract, answers: {} })
    return `export const ${contract.name} = { default: ${contract.name}Input, contract: ${source} }\n`
  })
  return `${validators}${compiled.join('')}`
}

/** A hash of the schemas, the routes, and the code and packages that compile them. */
function fingerprintOf(all: readonly Contract[], routes: readonly Route[]): string {
  const makers = made.map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
  const schemas = all.map((contract) => {
    const { path, query, body, item } = contract
    return { path, query, body, item, read: contractSource(contract), location: locationOf(contract, routes) }
  })
  return createHash('sha256')
    .update(JSON.stringify([makers, schemas, recordSchemas, routes]))
    .digest('hex')
}

const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

function write(name: string, text: string) {
  // An unchanged file is not written, so that watchers of the folder stay quiet.
  if (existsSync(new URL(name, folder)) && read(name) === text) return
  writeFileSync(new URL(name, folder), text)
}

if (import.meta.main && (await compile())) console.log('schemas/compiled is written')
