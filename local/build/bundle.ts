import { type BuildOptions, build } from 'esbuild'
import { root } from '../shared/root.ts'
import { leaveOut } from './leaveOut.ts'
import { serviceFunctions } from './yamlFiles.ts'

type Wanted = {
  entry: string
  outfile: string
  /** Leave nothing out. */
  whole?: boolean
}

const options: BuildOptions = {
  // CommonJS loads faster on Lambda than ES modules. The packages' ES modules are used, because their unused code is removed.
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

/** Further options of the functions' bundles. Measurements of the bare SDK do not use them. */
const ours: BuildOptions = {
  plugins: [leaveOut()],
  // For an http endpoint the SDK loads node:http with import(), which reads every export, and one of these loads all of undici:
  // 25 ms of a first call. require() does not do that.
  supported: { 'dynamic-import': false },
}

/** Bundles one file like a function, for tests and measurements. */
export async function bundle({ entry, outfile, whole = false }: Wanted): Promise<void> {
  await build({ ...options, ...(whole ? {} : ours), entryPoints: [entry], outfile, logLevel: 'error' })
}

const sourceOf = (handler: string): string => handler.replace(/\.handler$/, '.ts')

/**
 * Bundles all functions into a folder, under the paths of their sources: in one run, which reads each source once. One by one,
 * they take four times as long. Throws esbuild's message if a file cannot be bundled.
 */
export async function bundleAll(outdir: string): Promise<void> {
  const entryPoints = Object.values(serviceFunctions()).map(({ handler }) => root + sourceOf(handler))
  const places = { outdir, outbase: root, outExtension: { '.js': '.cjs' } }
  await build({ ...options, ...ours, ...places, entryPoints, logLevel: 'silent' })
}

/** Where a function's bundle is in a folder of bundles, and in its zip. */
export const bundlePath = (handler: string): string => handler.replace(/\.handler$/, '.cjs')
