import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { whyNoDynoxide } from '../../local/database/dynoxide.ts'
import { chooseEngine } from '../../local/database/engine.ts'
import { requireFolder } from '../../local/database/launch.ts'

const folder = mkdtempSync(join(tmpdir(), 'rollcall-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (path: string, text = '') => {
  const whole = join(folder, path)
  mkdirSync(join(whole, '..'), { recursive: true })
  writeFileSync(whole, text)
  return whole
}
file('of-java/shared-local-instance.db')
file('of-dynoxide/dynoxide.db')
mkdirSync(join(folder, 'empty'))

const runs = () => undefined
const fails = () => 'it is not installed'

describe('the engine', () => {
  test.each([
    [{}, 'dynoxide', 'dynamodb-local'],
    [{ wanted: 'dynamodb-local' }, 'dynamodb-local', 'dynamodb-local'],
    [
      { wanted: 'dynoxide' },
      'dynoxide',
      'ENGINE=dynoxide: it is not installed. Leave ENGINE out to use DynamoDB Local.',
    ],
    [{ dataDir: 'new' }, 'dynoxide', 'dynamodb-local'],
    [{ dataDir: 'empty' }, 'dynoxide', 'dynamodb-local'],
    [{ dataDir: 'of-java' }, 'dynamodb-local', 'dynamodb-local'],
    [{ dataDir: 'of-java', wanted: 'dynamodb-local' }, 'dynamodb-local', 'dynamodb-local'],
    [
      { dataDir: 'of-dynoxide' },
      'dynoxide',
      'DATA_DIR=of-dynoxide holds data of dynoxide, but it is not installed. Set DATA_DIR to another folder.',
    ],
    [
      { dataDir: 'of-java', wanted: 'dynoxide' },
      'DATA_DIR=of-java holds data of DynamoDB Local: set ENGINE=dynamodb-local, or DATA_DIR to another folder.',
      'DATA_DIR=of-java holds data of DynamoDB Local: set ENGINE=dynamodb-local, or DATA_DIR to another folder.',
    ],
    [
      { dataDir: 'of-dynoxide', wanted: 'dynamodb-local' },
      'DATA_DIR=of-dynoxide holds data of dynoxide: set ENGINE=dynoxide, or DATA_DIR to another folder.',
      'DATA_DIR=of-dynoxide holds data of dynoxide: set ENGINE=dynoxide, or DATA_DIR to another folder.',
    ],
  ] as const)('for %j is %s, or without dynoxide %s', ({ dataDir, ...choice }: Choice, withIt, without) => {
    const choose = (whyNot: () => string | undefined) => {
      try {
        return chooseEngine({ ...choice, dataDir: dataDir && join(folder, dataDir), whyNot })
      } catch (error) {
        return (error as Error).message.replace(join(folder, '/'), '')
      }
    }
    expect([choose(runs), choose(fails)]).toEqual([withIt, without])
  })
})

type Choice = { wanted?: 'dynoxide' | 'dynamodb-local'; dataDir?: string }

describe('dynoxide', () => {
  const program = (name: string, text: string) => {
    const path = file(name, text)
    chmodSync(path, 0o755)
    return path
  }

  test.each([
    ['is used where its program answers', program('good', '#!/bin/sh\necho dynoxide 1.2.1'), undefined],
    ['is not used where it is not installed', join(folder, 'missing'), /^it is not installed \(npm installs/],
    ['is not used where its program fails', program('failing', '#!/bin/sh\nexit 3'), /does not run here \(exit code 3/],
    // As a program is that is linked to a system library that this system does not have.
    ['is not used where its loader is missing', program('odd', '#!/nowhere/ld\n'), /does not run here \(.*ENOENT/],
    ['is not used where it may not be run', file('locked', 'x'), /does not run here \(.*EACCES/],
  ])('%s', (_title, path, fault) => {
    const found = whyNoDynoxide(path)
    if (fault) expect(found).toMatch(fault)
    else expect(found).toBeUndefined()
  })
})

test('one line says why a folder for the data cannot be used', () => {
  const taken = file('file')
  for (const path of [taken, join(taken, 'below')])
    expect(() => requireFolder(path)).toThrow(`DATA_DIR=${path} is a file: use the path of a folder.`)
  requireFolder(join(folder, 'new', 'below'))
  expect(statSync(join(folder, 'new', 'below')).isDirectory()).toBe(true)
})
