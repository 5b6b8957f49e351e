import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

// Follows "Add a field" of CONTRIBUTING.md on a copy of the project: it makes each change, and runs the commands.
// With CASES=all it also leaves out one change at a time: the compiler or the test must notice.

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const [, section = ''] = page.split(/^## Add a field$/m)
const [steps = ''] = section.split(/^## /m)

/** The blocks of the page in one language, without their indentation. */
const blocksIn = (language: string): string[] =>
  [...steps.matchAll(new RegExp(`^ {3}\`\`\`${language}\\n(.*?)^ {3}\`\`\`$`, 'gms'))].map(([, block = '']) =>
    block.replaceAll(/^ {3}/gm, ''),
  )

/** One place of a file: the lines before the change, and after it. */
type Change = { file: string; before: string; after: string }

const changes: Change[] = blocksIn('diff').flatMap((block) =>
  block
    .split(/^--- /m)
    .slice(1)
    .flatMap((part) => {
      const [head = '', ...places] = part.split(/^@@\n/m)
      return places.map((place) => ({
        file: head.trim(),
        before: place.replaceAll(/^\+.*\n/gm, '').replaceAll(/^[ -]/gm, ''),
        after: place.replaceAll(/^-.*\n/gm, '').replaceAll(/^[ +]/gm, ''),
      }))
    }),
)

const notCopied = new Set(['node_modules', '.git', 'reports'])
let copy: string | undefined
afterEach(() => copy && rmSync(copy, { recursive: true }))

/** A copy of the project, with the same packages. */
function copied(): string {
  const folder = mkdtempSync(join(tmpdir(), 'add-field-'))
  cpSync(root, folder, {
    recursive: true,
    filter: (path) =>
      !relative(root, path)
        .split(sep)
        .some((name) => notCopied.has(name)),
  })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  copy = folder
  return folder
}

/** Makes a change. Its lines must be in the file exactly once. */
function make(folder: string, { file, before, after }: Change): void {
  const path = join(folder, file)
  const parts = readFileSync(path, 'utf8').split(before)
  expect(parts.length - 1, `how often ${file} has these lines:\n${before}`).toBe(1)
  writeFileSync(path, parts.join(after))
}

function follow(folder: string, made: readonly Change[]): void {
  for (const change of made) make(folder, change)
  for (const block of blocksIn('ts')) writeFileSync(join(folder, /^\/\/ (\S+)$/m.exec(block)?.[1] ?? ''), block)
}

/** The environment without what belongs to this run of tests. */
const plainEnv = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST)/.test(name)))

/** Runs the commands of the page, until one fails. Returns its output, if one does. */
async function runAll(folder: string): Promise<string | undefined> {
  for (const command of blocksIn('sh').flatMap((block) => block.trim().split('\n'))) {
    const run = promisify(execFile)('sh', ['-c', command], { cwd: folder, env: plainEnv() })
    const failed = await run.then(
      () => undefined,
      ({ stdout, stderr }) => `${command}\n${stdout}\n${stderr}`,
    )
    if (failed !== undefined) return failed
  }
  return undefined
}

test('the page has changes, a test and commands', () => {
  expect([changes.length, blocksIn('ts').length, blocksIn('sh').length]).toEqual([expect.any(Number), 1, 1])
  expect(changes.length).toBeGreaterThan(10)
  for (const { before, after } of changes) expect(after).not.toBe(before)
})

test('its steps add a field that works', { timeout: 300_000 }, async () => {
  const folder = copied()
  follow(folder, changes)
  expect(await runAll(folder)).toBeUndefined()
})

test.runIf(process.env['CASES'] === 'all').each(changes)(
  'without one change of $file the compiler or the test fails',
  { timeout: 300_000 },
  async (left) => {
    const folder = copied()
    follow(
      folder,
      changes.filter((change) => change !== left),
    )
    expect(await runAll(folder)).toBeDefined()
  },
)
