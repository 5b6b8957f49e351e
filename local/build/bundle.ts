import { readFileSync } from 'node:fs'
import { type BuildOptions, build } from 'esbuild'
import { parse } from 'yaml'
import { leaveOut } from './leaveOut.ts'

type Wanted = {
  entry: string
  outfile: string
  /** Leave nothing out. */
  whole?: boolean
}

const template = new URL('../../serverless.yml', import.meta.url)

/** Bundles one file like serverless-esbuild bundles a function, for tests and measurements. */
export async function bundle({ entry, outfile, whole = false }: Wanted): Promise<void> {
  const { format, mainFields, conditions, target, minify, charset, legalComments }: BuildOptions = parse(
    readFileSync(template, 'utf8'),
    { logLevel: 'silent' },
  ).custom.esbuild
  const options = { format, mainFields, conditions, target, minify, charset, legalComments } as BuildOptions
  const plugins = whole ? [] : [leaveOut()]
  await build({ ...options, entryPoints: [entry], outfile, bundle: true, platform: 'node', plugins, logLevel: 'error' })
}
