// npm run types: types of the API for clients in TypeScript, from schemas/openapi.json into schemas/compiled/api.d.ts.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const source = new URL('../../schemas/openapi.json', import.meta.url)
const file = new URL('../../schemas/compiled/api.d.ts', import.meta.url)

/** Writes the types if they are out of date. Returns whether it did. */
export async function clientTypes(): Promise<boolean> {
  const document = readFileSync(source, 'utf8')
  const head = `// Made from schemas/openapi.json, ${createHash('sha256').update(document).digest('hex')}\n`
  if (existsSync(file) && readFileSync(file, 'utf8').startsWith(head)) return false
  // Loaded only if needed, as it loads a compiler.
  const { astToString, default: typesOf } = await import('openapi-typescript')
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, head + astToString(await typesOf(JSON.parse(document))))
  return true
}

if (import.meta.main)
  console.log(
    (await clientTypes()) ? 'schemas/compiled/api.d.ts is written' : 'schemas/compiled/api.d.ts is up to date',
  )
