import { globSync, readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

// How the sources are laid out: what a reader has to open, and who may know what. Imports are checked by `npm run layers`.

const sources = globSync('{domain,handlers,schemas,local}/**/*.ts').filter((file) => !file.includes('compiled'))
const textOf = (file: string) => readFileSync(file, 'utf8')

describe('only domain/table knows DynamoDB', () => {
  const others = sources.filter((file) => !file.startsWith('domain/table/'))
  const domain = others.filter((file) => file.startsWith('domain/'))

  it.each([
    [
      'expressions',
      others,
      /attribute_(not_)?exists\(|if_not_exists\(|begins_with\(|['"`](SET|ADD|REMOVE) #|#\w+ (=|<|>|<=|>=) :/,
    ],
    [
      'beginnings of keys',
      domain,
      /['"`/^](USER|USERNAME|EXTERNAL|GROUP|ROLE|CHANNEL|TASK|ATTRIBUTE|GA|CA|TA|W|A|N|G|C|P|EVENTS|ACTOR)#/,
    ],
    ['parts of keys', domain, /\b[ps]k\.(startsWith|slice|split|indexOf|endsWith)\(/],
    ['the SDK', domain, /@aws-sdk|@smithy/],
  ])('%s', (_what, files, pattern) => {
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((file) => pattern.test(textOf(file)))).toEqual([])
  })
})

describe('a handler loads few other files of the project', () => {
  it.each([
    // Among them, what every endpoint can have: the table's layout, versions, events, and creations that can be repeated.
    ['users/createUser', 40],
    ['users/listUsers', 45],
    ['tasks/deleteTaskAssignments', 40],
    ['maintenance/importDirectory', 60],
  ])('%s: %i', async (name, most) => {
    const { metafile } = await build({
      entryPoints: [`handlers/${name}.ts`],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    })
    const others = Object.keys(metafile.inputs).filter((file) => file !== `handlers/${name}.ts`)
    expect(others.length).toBeLessThanOrEqual(most)
  })
})

it('no source file has more than 200 lines, texts of the API reference aside', () => {
  const long = sources.filter((file) => !file.startsWith('schemas/reference/') && textOf(file).split('\n').length > 201)
  expect(long).toEqual([])
})
