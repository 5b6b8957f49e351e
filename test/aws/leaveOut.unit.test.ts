import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { leaveOut } from '../../local/build/leaveOut.ts'

// A package that is not as the stand-ins expect stops the build, with its name and version.

const real = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const linked = ['credential-provider-node', 'endpoint-cache', 'core', 'lib-dynamodb'].map((name) => `@aws-sdk/${name}`)
const copied = { '@aws-sdk/client-dynamodb': 'dist-es', entities: 'dist', htmlparser2: 'src' }
let folder: string
let modules: string

/** The packages again: those that tests change with files of their own, in version 9.9.9. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leave-out-'))
  modules = join(folder, 'node_modules/')
  for (const name of [...linked, '@smithy']) link(name)
  for (const [name, part] of Object.entries(copied)) {
    cpSync(join(real, name, part), join(modules, name, part), { recursive: true })
    const about = JSON.parse(readFileSync(join(real, name, 'package.json'), 'utf8'))
    writeFileSync(join(modules, name, 'package.json'), JSON.stringify({ ...about, version: '9.9.9' }))
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function link(name: string) {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(join(real, name), join(modules, name))
}

function change(file: string, changed: (text: string) => string) {
  const path = join(modules, file)
  writeFileSync(path, changed(readFileSync(path, 'utf8')))
}

function bundled(code: string): Promise<unknown> {
  writeFileSync(join(folder, 'entry.js'), code)
  return build({
    entryPoints: [join(folder, 'entry.js')],
    bundle: true,
    write: false,
    platform: 'node',
    plugins: [leaveOut(modules)],
    logLevel: 'silent',
  })
}

const schemas = '@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js'
const resolver = '@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js'

describe('a build', () => {
  test('succeeds with packages as they are', async () => {
    await bundled(`export * from './node_modules/${schemas}'; export { Parser } from 'htmlparser2'`)
  })

  test('fails where a file that is replaced is gone', async () => {
    rmSync(join(modules, 'entities/dist/decode.js'))
    await expect(bundled('')).rejects.toThrow(/entities 9\.9\.9: .*decode\.js is not there/)
  })

  test('fails where a file that is replaced exports something new', async () => {
    const code = `import { another } from './node_modules/${resolver}'; console.log(another)`
    await expect(bundled(code)).rejects.toThrow(/No matching export in .*endpointResolver\.js.* for import "another"/)
  })

  test('fails where the SDK registers its errors in another way', async () => {
    change(schemas, (text) => text.replaceAll('n0_registry.registerError(', 'n0_registry.register('))
    await expect(bundled(`export * from './node_modules/${schemas}'`)).rejects.toThrow(
      /@aws-sdk\/client-dynamodb 9\.9\.9: .*schemas_0\.js registers its errors in another way/,
    )
  })

  test('fails where the HTML parser has no private names any more', async () => {
    for (const file of ['Parser', 'Tokenizer'])
      change(`htmlparser2/src/${file}.ts`, (text) => text.replaceAll('private ', 'public '))
    await expect(bundled(`export { Parser } from 'htmlparser2'`)).rejects.toThrow(
      /htmlparser2 9\.9\.9: .*Parser\.ts has other private names/,
    )
  })
})
