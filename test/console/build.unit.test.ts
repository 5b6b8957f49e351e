import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { buildConsole } from '../../local/build/console.ts'
import { filesToKeep } from '../../local/deploy/keepFormerConsole.ts'

const folder = mkdtempSync(join(tmpdir(), 'built-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const build = async (name: string, isLocal = false): Promise<string[]> => {
  await buildConsole({ outdir: join(folder, name), isLocal })
  return readdirSync(join(folder, name)).sort()
}
const read = (...path: string[]) => readFileSync(join(folder, ...path))

test('gives the same files each time, compressed, and no sources', async () => {
  const names = await build('first')
  expect(await build('second')).toEqual(names)
  for (const name of names) expect(read('first', name).equals(read('second', name))).toBe(true)
  expect(names.filter((name) => name.includes('.map'))).toEqual([])
  for (const name of names.filter((one) => /\.(js|css|svg)$/.test(one))) {
    const plain = read('first', name)
    expect(plain.toString()).not.toContain('sourceMappingURL')
    expect(brotliDecompressSync(read('first', `${name}.br`)).equals(plain)).toBe(true)
    expect(gunzipSync(read('first', `${name}.gz`)).equals(plain)).toBe(true)
  }
})

test('on this machine has maps to the sources, and the same page apart from them', async () => {
  const names = await build('local', true)
  expect(names.some((name) => name.endsWith('.js.map'))).toBe(true)
})

test('writes again only what has changed, and removes what is left of another build', async () => {
  await build('again', true)
  const times = () =>
    readdirSync(join(folder, 'again')).map((name) => [name, statSync(join(folder, 'again', name)).mtimeMs])
  const before = times()
  await build('again', true)
  expect(times()).toEqual(before)
  const own = await build('again')
  expect(own).toEqual(readdirSync(join(folder, 'first')).sort())
})

test('has no eval and nothing that a strict content security policy refuses', async () => {
  for (const name of (await build('strict')).filter((one) => /\.(js|html|css)$/.test(one))) {
    const text = read('strict', name).toString()
    expect(text, name).not.toMatch(/\beval\(|new Function\(|\bimport\(["'`]https?:|https?:\/\/[^"'`\s]*\.(js|css)\b/)
  }
})

test('never keeps tokens: no script writes to the storage of the browser, except for a sign-in under way', async () => {
  const uses = readdirSync(join(import.meta.dirname, '../../console'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('dist'))
    .flatMap((name) =>
      [...readFileSync(join(import.meta.dirname, '../../console', name), 'utf8').matchAll(/sessionStorage/g)].map(
        () => name,
      ),
    )
  expect([...new Set(uses)].filter((name) => !name.startsWith('session/'))).toEqual([])
})

const bytes = (text: string) => Buffer.from(text)

test.each<[string, Record<string, string>, string[], string[]]>([
  [
    'the deployed files',
    { 'dist/index.html': '', 'dist/a-1.js': 'a1', 'dist/a-1.js.br': '' },
    ['a-2.js'],
    ['a-1.js', 'a-1.js.br'],
  ],
  ['not those that have not changed', { 'dist/a-1.js': '', 'dist/b-1.js': '' }, ['a-1.js', 'b-2.js'], ['b-1.js']],
  ['not those of the release before the last', { 'dist/a-2.js': '', 'before/a-1.js': '' }, ['a-3.js'], ['a-2.js']],
  ['what was kept, if the console is the same', { 'dist/a-2.js': '', 'before/a-1.js': '' }, ['a-2.js'], ['a-1.js']],
  ['nothing of a first one', { 'handlers/console/console.cjs': '' }, ['a-1.js'], []],
])('an update keeps %s', (_what, deployed, built, kept) => {
  const paths = (names: string[]) => Object.fromEntries(names.map((name) => [`console/dist/${name}`, bytes('')]))
  const zip = Object.fromEntries(
    Object.entries(deployed).map(([path, text]) => [
      path.startsWith('handlers') ? path : `console/${path}`,
      bytes(text),
    ]),
  )
  expect(Object.keys(filesToKeep(zip, paths(['index.html', ...built]))).sort()).toEqual(kept)
})
