import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { leaveOut } from '../../local/build/leaveOut.ts'

// A package that is not as the stand-ins expect stops the build, with its name and version.

const real = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const linked = ['credential-provider-node', 'endpoint-cache', 'core'].map((name) => `@aws-sdk/${name}`)
const copied = { '@aws-sdk/client-dynamodb': 'dist-es', entities: 'dist', htmlparser2: 'dist' }
let folder: string
let modules: string

/** The packages again: those that tests change with other files, in version 9.9.9. */
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

const resolver = './node_modules/@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js'

describe('a build', () => {
  test('succeeds with packages as they are', async () => {
    await bundled(`export * from '${resolver}'; export { Parser } from 'htmlparser2'`)
  })

  test.each(['entities/dist/decode.js', 'htmlparser2/dist/Parser.js'])('fails where %s is missing', async (file) => {
    rmSync(join(modules, file))
    const [name] = file.split('/')
    await expect(bundled('')).rejects.toThrow(`leaveOut.ts does not fit ${name} 9.9.9: ${file} is missing`)
  })

  test('fails where a file that is replaced exports something new', async () => {
    const code = `import { another } from '${resolver}'; console.log(another)`
    await expect(bundled(code)).rejects.toThrow(/No matching export in .*endpointResolver\.js.* for import "another"/)
  })
})
