import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

// What a function loads of the project's own sources: what a reader of the endpoint may have to know.

async function sourcesOf(handler: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [`handlers/${handler}.ts`],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return Object.keys(metafile.inputs).filter((path) => !path.includes('compiled/'))
}

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1

/** The most files and lines: where a function needs more, look first for what it loads and does not use. */
const most: Record<string, { files: number; lines: number }> = {
  'roles/getRole': { files: 41, lines: 5_250 },
  'users/getUser': { files: 51, lines: 6_650 },
  'users/createUser': { files: 67, lines: 8_750 },
  'users/listUsers': { files: 64, lines: 8_500 },
}

describe('a function loads no more than', () => {
  it.each(Object.entries(most))('%s', async (handler, { files, lines }) => {
    const sources = await sourcesOf(handler)
    expect(sources.length).toBeLessThanOrEqual(files)
    expect(sources.reduce((sum, path) => sum + linesOf(path), 0)).toBeLessThanOrEqual(lines)
  })
})

describe('a function that reads one record', () => {
  it.each(['roles/getRole', 'users/getUser'])('%s loads no rules, no noted work and no search', async (handler) => {
    const foreign = /people\/(rules|directory|channels)\/|table\/(work|lease|lists|budget)|request\/(pager|paging)/
    expect((await sourcesOf(handler)).filter((path) => foreign.test(path))).toEqual([])
  })
})
