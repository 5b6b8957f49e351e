import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { npmCommand, reasonToInstall } from '../../local/prepare.mjs'

const locked = {
  packages: {
    '': { version: '1.0.0' },
    'node_modules/one': { version: '1.0.0', integrity: 'sha512-1' },
    'node_modules/for-another-system': { version: '2.0.0', integrity: 'sha512-2', optional: true },
  },
}
const one = { version: '1.0.0', integrity: 'sha512-1' }

describe('packages are installed', () => {
  test('when there are none, or an installation was cut short', () => {
    expect(reasonToInstall({ wanted: locked, installed: undefined, hasNode: false })).toMatch('not installed')
  })

  test.each<[string, Record<string, object>]>([
    ['of another version', { 'node_modules/one': { ...one, version: '1.0.1' } }],
    ['with other contents', { 'node_modules/one': { ...one, integrity: 'sha512-3' } }],
    ['missing', {}],
    ['too many', { 'node_modules/one': one, 'node_modules/two': one }],
  ])('when one is %s', (_how, packages) => {
    expect(reasonToInstall({ wanted: locked, installed: { packages }, hasNode: true })).toMatch('package-lock.json')
  })

  const installed = { packages: { 'node_modules/one': one } }
  test('when the Node among them is missing', () => {
    expect(reasonToInstall({ wanted: locked, installed, hasNode: false })).toMatch(
      'the Node that the project runs with',
    )
  })

  test.each([locked, undefined])('but not when they are those of the lock file, or there is none', (wanted) => {
    expect(reasonToInstall({ wanted, installed, hasNode: true })).toBeUndefined()
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
