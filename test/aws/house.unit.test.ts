import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

// Which sources may know what. Imports are checked by `npm run layers`.

const sources = globSync('{domain,handlers,schemas,local}/**/*.ts').filter(
  (file) => !/compiled|node_modules/.test(file),
)
const textOf = (file: string) => readFileSync(file, 'utf8')

describe('only domain/table knows DynamoDB', () => {
  const others = sources.filter((file) => !file.startsWith('domain/table/'))
  const tableFiles = sources.filter((file) => file.startsWith('domain/table/') && !file.endsWith('/keys.ts'))
  const domain = others.filter((file) => file.startsWith('domain/'))

  it.each([
    [
      'expressions',
      others,
      /attribute_(not_)?exists\(|if_not_exists\(|begins_with\(|['"`](SET|ADD|REMOVE) #|#\w+ (=|<|>|<=|>=) :/,
    ],
    [
      'keys: only keys.ts',
      [...domain, ...tableFiles],
      /['"`/^](USER|USERNAME|EXTERNAL|GROUP|ROLE|CHANNEL|TASK|ATTRIBUTE|GA|CA|TA|W|A|N|G|C|P|EVENTS|ACTOR|GONE|MINE|TASKS|USERS|KEY)#/,
    ],
    ['parts of keys', [...domain, ...tableFiles], /\b[ps]k\.(startsWith|slice|split|indexOf|endsWith)\(/],
    ['the SDK', domain.filter((file) => file !== 'domain/base/aws.ts'), /@aws-sdk|@smithy/],
  ])('%s', (_what, files, pattern) => {
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((file) => pattern.test(textOf(file)))).toEqual([])
  })
})
