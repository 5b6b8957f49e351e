import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { npmCommand, reasonToInstall } from '../../local/prepare.mjs'

describe('packages are installed', () => {
  test('when there are none, or an installation was cut short', () => {
    expect(reasonToInstall({ lockedAt: 1, installedAt: undefined, hasNode: false })).toMatch('not installed')
  })

  test('when the lock file is newer', () => {
    expect(reasonToInstall({ lockedAt: 2, installedAt: 1, hasNode: true })).toMatch('package-lock.json is newer')
  })

  test('when the Node among them is missing', () => {
    expect(reasonToInstall({ lockedAt: 1, installedAt: 1, hasNode: false })).toMatch(
      'the Node that the project runs with',
    )
  })

  test.each([
    { lockedAt: 1, installedAt: 1 },
    { lockedAt: 1, installedAt: 2 },
    { lockedAt: undefined, installedAt: 1 },
  ])('but not at %j', (times) => {
    expect(reasonToInstall({ ...times, hasNode: true })).toBeUndefined()
  })
})

test("npm is the one that runs the script, else the path's", () => {
  expect(npmCommand({ npm_execpath: '/n/npm-cli.js', npm_node_execpath: '/bin/node' })).toEqual([
    '/bin/node',
    '/n/npm-cli.js',
  ])
  expect(npmCommand({})).toEqual(['npm'])
})

test('the lock file knows the binaries for every platform, as npm ci demands', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as Lock
  const locked = Object.keys(packages).map((path) =>
    path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  )
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
  // npm leaves out what a registry did not have, and then refuses its own lock file.
  expect(wanted.filter((name) => !locked.includes(name))).toEqual([])
})

type Lock = { packages: Record<string, { optionalDependencies?: Record<string, string> }> }
