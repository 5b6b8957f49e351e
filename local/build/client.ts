// npm run client: builds the package in client/ from schemas/openapi.json: client/src/api.ts, then client/dist.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)
const file = (name: string) => new URL(name, root)
const document = 'schemas/openapi.json'
const api = 'client/src/api.ts'
const fingerprint = 'client/dist/.fingerprint'

type Operation = { parameters?: { $ref?: string }[]; responses: object }
type Document = { paths: Record<string, { post?: Operation }>; components: { examples: object } }

/** Builds the package if anything has changed since the last time. Returns whether it did. */
export async function makeClient(): Promise<boolean> {
  const made = fingerprintOf([document, 'package-lock.json', 'tsconfig.json', 'client/tsconfig.json', ...handwritten()])
  if (existsSync(file(fingerprint)) && readFileSync(file(fingerprint), 'utf8') === made) return false
  rmSync(file('client/dist'), { recursive: true, force: true })
  writeFileSync(file(api), await apiSource(JSON.parse(readFileSync(file(document), 'utf8'))))
  const compiler = fileURLToPath(file('node_modules/typescript-native/bin/tsc'))
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'client'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('client/src does not compile: the faults are above')
  // Written last, so that an interrupted run is repeated.
  writeFileSync(file(fingerprint), made)
  return true
}

const handwritten = () => globSync('client/src/*.ts', { cwd: fileURLToPath(root) }).filter((name) => name !== api)

function fingerprintOf(names: readonly string[]): string {
  const hash = createHash('sha256').update(readFileSync(new URL(import.meta.url)))
  for (const name of names.toSorted()) hash.update(name).update(readFileSync(file(name)))
  return hash.digest('hex')
}

/** The types of all calls, and the data about operations that the client needs at run time. */
async function apiSource(openapi: Document): Promise<string> {
  // Loaded only if needed, as it loads a compiler.
  const { astToString, default: typesOf } = await import('openapi-typescript')
  const types = astToString(await typesOf(structuredClone(openapi) as unknown as Parameters<typeof typesOf>[0]))
  const taking = (parameter: string) =>
    Object.keys(openapi.paths).filter((path) =>
      openapi.paths[path]?.post?.parameters?.some(({ $ref }) => $ref === `#/components/parameters/${parameter}`),
    )
  return `// Made by npm run client from schemas/openapi.json.
${types}
export type ErrorCode = ${Object.keys(openapi.components.examples).map(quoted).join(' | ')}

/** POSTs that create one record, and take an Idempotency-Key. */
export const creations: readonly string[] = ${JSON.stringify(taking('IdempotencyKey'))}

/** POSTs that set the state of a record, and take If-Match. They are idempotent. */
export const transitions: readonly string[] = ${JSON.stringify(taking('IfMatch'))}
`
}

const quoted = (text: string) => `'${text}'`

if (import.meta.main && (await makeClient())) console.log('client/dist is written')
