import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Any } from './call.ts'

const project = new URL('../../', import.meta.url)

const blockOf = (text: string, language: string): string =>
  text.match(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's'))?.[1] ?? ''

/**
 * The example of a folder's README: `run` is the function `example` of its ts block, and `returns` is what its json block says
 * that it returns. The block is a module in that folder. It is loaded from a copy, with the same imports.
 */
export async function exampleIn(folder: string): Promise<{ run: (...input: Any[]) => Promise<unknown>; returns: Any }> {
  const text = readFileSync(new URL(`${folder}/README.md`, project), 'utf8')
  const source = blockOf(text, 'ts').replaceAll(/from '(\.[^']*)'/g, (_, path) => {
    return `from '${new URL(path, new URL(`${folder}/`, project)).pathname}'`
  })
  const copy = join(await mkdtemp(join(tmpdir(), 'readme-')), 'example.ts')
  writeFileSync(copy, source)
  const { example } = await import(/* @vite-ignore */ pathToFileURL(copy).pathname)
  return { run: example, returns: JSON.parse(blockOf(text, 'json')) }
}
