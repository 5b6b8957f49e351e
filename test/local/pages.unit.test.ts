import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = globSync('**/*.md', { cwd: root, exclude: (path) => path.endsWith('node_modules') })

/** The anchor that a heading gets. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (page: string) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

test.each(pages)('%s links to pages and headings that exist', (page) => {
  const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const broken = links.filter((link) => {
    if (link.startsWith('https://')) return false
    const [file, anchor] = link.split('#')
    const target = file ? join(dirname(page), file) : page
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  })
  expect(broken).toEqual([])
})

describe('the scripts of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const namedIn = (page: string) =>
    [
      ...readFileSync(join(root, page), 'utf8').matchAll(/npm (?:run (?:--silent )?([a-z][\w:-]*)|(test|start)\b)/g),
    ].map(([, run, short]) => run ?? short ?? '')

  test.each(pages)('are those that %s names', (page) => {
    expect(namedIn(page).filter((name) => !scripts[name])).toEqual([])
  })

  test('are all in docs/commands.md', () => {
    const named = namedIn('docs/commands.md')
    expect(Object.keys(scripts).filter((name) => !named.includes(name))).toEqual([])
  })
})
