import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PluginBuild } from 'esbuild'

/**
 * The parser of htmlparser2, bundled from its sources: a third smaller, as esbuild writes its enums as numbers and
 * shortens the names that it calls private. Options keep their names. Undefined if the sources have no such names.
 */
export async function shortParser(
  { esbuild, initialOptions }: PluginBuild,
  parser: string,
): Promise<string | undefined> {
  const sources = ['Parser.ts', 'Tokenizer.ts'].map((file) => readFile(join(dirname(parser), file), 'utf8'))
  const text = (await Promise.all(sources)).join('\n')
  const namesIn = (source: string, form: RegExp) => [...source.matchAll(form)].map(([, name]) => String(name))
  const [options = ''] = text.match(/export interface ParserOptions \{[^}]*\}/) ?? []
  const optional = new Set(namesIn(options, /^\s+(\w+)\?:/gm))
  const own = namesIn(text, /\bprivate (?:readonly )?(\w+)/g).filter((name) => !optional.has(name))
  if (own.length === 0 || optional.size === 0) return undefined
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
