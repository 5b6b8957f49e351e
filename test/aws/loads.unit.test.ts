import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { bundle } from '../../local/build/bundle.ts'
import { permissionOf, serviceFunctions } from '../../local/build/yamlFiles.ts'

// What a function loads of the project's own sources: what a reader of the endpoint may have to know.

async function built(handlers: readonly string[]): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: handlers.map((handler) => `handlers/${handler}.ts`),
    outdir: 'nowhere',
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return metafile
}

async function sourcesOf(handler: string): Promise<string[]> {
  const { inputs } = await built([handler])
  return Object.keys(inputs).filter((path) => !path.includes('compiled/'))
}

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1

/** The most files and lines: where a function needs more, look first for what it loads and does not use. */
const most: Record<string, { files: number; lines: number }> = {
  'roles/getRole': { files: 37, lines: 3_930 },
  'users/getUser': { files: 47, lines: 4_990 },
  'users/createUser': { files: 80, lines: 7_590 },
  'users/updateUser': { files: 88, lines: 7_970 },
  'users/listUsers': { files: 70, lines: 7_420 },
  'tasks/createTask': { files: 92, lines: 9_010 },
}

describe('a function loads no more than', () => {
  it.each(Object.entries(most))('%s', async (handler, { files, lines }) => {
    const sources = await sourcesOf(handler)
    expect(sources.length).toBeLessThanOrEqual(files)
    expect(sources.reduce((sum, path) => sum + linesOf(path), 0)).toBeLessThanOrEqual(lines)
  })
})

describe('a function that reads one record', () => {
  it.each(['roles/getRole', 'users/getUser', 'own/getMe', 'attributes/getAttributeDefinition'])(
    '%s loads no rules, no noted work, no search, and nothing that writes records',
    async (handler) => {
      const foreign =
        /people\/((rules|finding|channels)\/|records\/roleRules)|table\/(work|lease|lists|budget|merge|changes|events|transact)|request\/(bodies|readPage)|middleware\/readB/
      expect((await sourcesOf(handler)).filter((path) => foreign.test(path))).toEqual([])
    },
  )
})

it.each(['users/createUser', 'users/listUsers'])(
  'a process of %s loads no modules of Node that few calls use',
  async (handler) => {
    const folder = mkdtempSync(join(tmpdir(), 'loads-'))
    const outfile = join(folder, 'function.cjs')
    await bundle({ entry: `handlers/${handler}.ts`, outfile })
    const script = `require(${JSON.stringify(outfile)}); console.log(process.moduleLoadList.join('\\n'))`
    const loaded = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect(loaded).toMatch(/^NativeModule https$/m)
    expect(loaded).not.toMatch(/^NativeModule (zlib|.*fs\/promises|child_process|http2)$/m)
  },
)

it('exactly the functions that may change records load what writes events', async () => {
  const functions = Object.entries(serviceFunctions())
  const { permissions } = parse(readFileSync('serverless.yml', 'utf8'), { logLevel: 'silent' }).custom
  const { outputs } = await built(functions.map(([, { handler }]) => handler.replace(/^handlers\/|\.handler$/g, '')))
  const loading = Object.values(outputs)
    .filter(({ inputs }) => 'domain/table/recording.ts' in inputs)
    .map(({ entryPoint }) => entryPoint)
  const changing = functions
    .filter(([name]) => permissions[permissionOf(name)].actions?.includes('UpdateItem') && name !== 'checkDeployment')
    .map(([, { handler }]) => handler.replace(/\.handler$/, '.ts'))
  expect(loading.toSorted()).toEqual(changing.toSorted())
})

describe('the map in docs/architecture.md', () => {
  const [, table = ''] = readFileSync('docs/architecture.md', 'utf8').split('| its steps, in `domain/`')
  const rows = (table.split('\n\n')[0] ?? '').split('\n').flatMap((line) => {
    const [, name, steps] = /^\| `(\w+)` +\| (.+) \|$/.exec(line) ?? []
    return name && steps
      ? [{ name, files: [...steps.matchAll(/`([\w/]+\/\w+)`/g)].map(([, path]) => `domain/${path}.ts`) }]
      : []
  })
  it('has rows', () => expect(rows.length).toBeGreaterThan(8))
  it.each(rows)('$name loads the files of its row', async ({ name, files }) => {
    const handler = serviceFunctions()[name]?.handler ?? expect.fail('There is no such function')
    expect(files.length).toBeGreaterThan(2)
    const loaded = new Set(await sourcesOf(handler.replace(/^handlers\/|\.handler$/g, '')))
    expect(files.filter((file) => !loaded.has(file))).toEqual([])
  })
})
