import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PluginBuild } from 'esbuild'

/**
 * The parser of htmlparser2 from its sources, a third smaller: a bundler writes their enums as numbers, and names that
 * they call private can be any. Those of its options cannot, as it takes them from its callers.
 */
export async function shortParser({ esbuild, initialOptions }: PluginBuild, parser: string): Promise<string> {
  const sources = ['Parser.ts', 'Tokenizer.ts'].map((file) => readFile(join(dirname(parser), file), 'utf8'))
  const text = (await Promise.all(sources)).join('\n')
  const namesIn = (source: string, form: RegExp) => [...source.matchAll(form)].map(([, name]) => String(name))
  const [options = ''] = text.match(/export interface ParserOptions \{[^}]*\}/) ?? []
  const given = new Set(namesIn(options, /^\s+(\w+)\?:/gm))
  const own = namesIn(text, /\bprivate (?:readonly )?(\w+)/g).filter((name) => !given.has(name))
  if (own.length === 0 || given.size === 0) throw new Error('The sources of htmlparser2 are not what they were')
  const { outputFiles } = await esbuild.build({
    entryPoints: [parser],
    bundle: true,
    write: false,
    format: 'esm',
    external: ['entities/decode'],
    mangleProps: new RegExp(`^(${own.join('|')})$`),
    ...(initialOptions.target ? { target: initialOptions.target } : {}),
  })
  return outputFiles[0]?.text ?? ''
}
