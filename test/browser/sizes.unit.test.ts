import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildConsole } from '../../local/build/console.ts'

const outdir = mkdtempSync(join(tmpdir(), 'console-'))
beforeAll(() => buildConsole({ outdir }))
afterAll(() => rmSync(outdir, { recursive: true, force: true }))

const kilobyte = 1000
const read = (name: string) => readFileSync(join(outdir, name))
const size = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0)
const scripts = () => readdirSync(outdir).filter((name) => name.endsWith('.js'))
const built = (name: string) => scripts().filter((file) => file.startsWith(`${name}-`))

/** A script with those that it imports, and they in turn; what is imported later does not count. */
function withImports(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    if (found.has(name)) continue
    found.add(name)
    const imports = [
      ...read(name)
        .toString()
        .matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g),
    ]
    withImports(
      imports.map(([, file = '']) => file),
      found,
    )
  }
  return found
}

const first = () => withImports([...built('main'), ...built('Home'), ...built('de')])

it('the first screen has at most 120 kB of scripts and 30 kB of styles, packed', () => {
  expect(size(first())).toBeLessThan(120 * kilobyte)
  expect(size(readdirSync(outdir).filter((name) => name.endsWith('.css')))).toBeLessThan(30 * kilobyte)
})

it('each further screen has at most 40 kB more', () => {
  const known = first()
  const screens = scripts().filter((name) => /^[A-Z]/.test(name))
  expect(screens.length).toBeGreaterThan(2)
  for (const name of screens) {
    const more = withImports([name]).difference(known)
    expect(size(more), name).toBeLessThan(40 * kilobyte)
  }
})
