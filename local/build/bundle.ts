import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { leaveOut } from './leaveOut.ts'
import { serviceFunctions } from './serviceFile.ts'

type Wanted = {
  entry: string
  outfile: string
  /** Leave nothing out. */
  whole?: boolean
}

const root = fileURLToPath(new URL('../..', import.meta.url))

const options: BuildOptions = {
  // CommonJS loads faster on Lambda than ES modules; the packages' ES modules are used because unused code drops out.
  format: 'cjs',
  mainFields: ['module', 'main'],
  conditions: ['module'],
  target: 'node24',
  platform: 'node',
  bundle: true,
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
}

/** Bundles one file like a function, for tests and measurements. */
export async function bundle({ entry, outfile, whole = false }: Wanted): Promise<void> {
  const plugins = whole ? [] : [leaveOut()]
  await build({ ...options, entryPoints: [entry], outfile, plugins, logLevel: 'error' })
}

const sourceOf = (handler: string): string => handler.replace(/\.handler$/, '.ts')

/**
 * Bundles all functions, and other files, into a folder, under the paths of their sources. In one go, as so each source is
 * read once: one by one, 77 functions take four times as long. Throws what esbuild says of a file that cannot be bundled.
 */
export async function bundleAll(outdir: string, others: readonly string[] = []): Promise<void> {
  const handlers = Object.values(serviceFunctions()).map(({ handler }) => sourceOf(handler))
  const entryPoints = [...handlers, ...others].map((path) => root + path)
  const places = { outdir, outbase: root, outExtension: { '.js': '.cjs' } }
  await build({ ...options, ...places, entryPoints, plugins: [leaveOut()], logLevel: 'silent' })
}

/** Where a function's bundle is in a folder of bundles, and in its zip. */
export const bundlePath = (handler: string): string => handler.replace(/\.handler$/, '.cjs')
