// npm run console: builds the pages in console/ into console/dist, which the function `console` answers.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { root } from '../shared/root.ts'
import { makeClient } from './client.ts'

const sources = 'console'
const PAGE = 'index.html'
/** The folder of the built files: in the project, and in the function's zip. */
export const BUILT = 'console/dist'
/** The folder of files that pages of the release before still ask for: `npm run deploy` fills it. */
export const BEFORE = 'console/before'
/** The path below which they are served. */
const SERVED = '/console/'

/** `isLocal`: with source maps, and compressed in no time. */
type Options = { isLocal?: boolean; outdir?: string }

/** What the page names of console/ itself: scripts, styles, pictures. */
const named = /\b(src|href)="(?![/#]|\w+:)([^"]+)"/g

/**
 * Builds the console. Each file but the page has a hash of its content in its name, and is there three times: as it is, and compressed
 * by brotli and by gzip. Throws esbuild's message.
 */
export async function buildConsole({ isLocal = false, outdir = join(root, BUILT) }: Options = {}): Promise<void> {
  // The console calls the service by the client, of which a part is made from the API's description.
  await makeClient()
  const page = await readFile(join(root, sources, PAGE), 'utf8')
  const entries = [...page.matchAll(named)].map(([, , name = '']) => join(sources, name))
  const { outputFiles, metafile } = await bundled(entries, outdir, isLocal)
  await mkdir(outdir, { recursive: true })
  const written = await Promise.all(outputFiles.map(({ path, contents }) => writeForms(path, contents, isLocal)))
  await writeIfNew(join(outdir, PAGE), pageWith(page, metafile))
  // Last, and one by one: another `npm start` in this folder may serve the same files.
  const current = new Set([PAGE, ...written.flat().map((path) => basename(path))])
  for (const name of await readdir(outdir)) if (!current.has(name)) await rm(join(outdir, name))
}

const bundled = (entryPoints: readonly string[], outdir: string, isLocal: boolean) =>
  build({
    entryPoints: [...entryPoints],
    absWorkingDir: root,
    outdir,
    // All in one folder.
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome111', 'firefox114', 'safari16.4'],
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    loader: { '.svg': 'copy' },
    // On AWS sources are not served.
    sourcemap: isLocal && 'linked',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })

const brotli = promisify(brotliCompress)
const zipped = promisify(gzip)
/** The best compression takes a second. */
const FAST = 4
const BEST = { brotli: 11, gzip: 9 }

/** Writes a file and its compressed forms. Returns their paths. */
async function writeForms(path: string, contents: Uint8Array, isLocal: boolean): Promise<string[]> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: isLocal ? FAST : BEST.brotli }
  const [br, gz] = await Promise.all([
    brotli(contents, { params }),
    zipped(contents, { level: isLocal ? FAST : BEST.gzip }),
  ])
  const forms: [path: string, contents: Uint8Array][] = [
    [path, contents],
    [`${path}.br`, br],
    [`${path}.gz`, gz],
  ]
  await Promise.all(forms.map(([name, content]) => writeIfNew(name, content)))
  return forms.map(([name]) => name)
}

async function writeIfNew(path: string, contents: string | Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => undefined)
  if (!before?.equals(Buffer.from(contents))) await writeFile(path, contents)
}

/** The page with the names of the built files, and with what its scripts load at once. */
function pageWith(page: string, { outputs }: Metafile): string {
  const outputOf = (source: string) =>
    Object.entries(outputs).find(([, { inputs, entryPoint }]) => entryPoint === source || onlyOf(inputs) === source)
  const also = new Set<string>()
  const withNames = page.replaceAll(named, (_all, attribute: string, name: string) => {
    const [path = '', output] = outputOf(join(sources, name)) ?? []
    if (output?.cssBundle) also.add(`<link rel="stylesheet" href="${servedAt(output.cssBundle)}">`)
    for (const needed of neededBy(path, outputs)) also.add(`<link rel="modulepreload" href="${servedAt(needed)}">`)
    return `${attribute}="${servedAt(path)}"`
  })
  return withNames.replace(/^( *)<\/head>/m, (end, indent: string) =>
    [...[...also].map((line) => `${indent}  ${line}`), end].join('\n'),
  )
}

const onlyOf = (inputs: object): string | undefined => (Object.keys(inputs).length === 1 ? Object.keys(inputs)[0] : '')

const servedAt = (path: string): string => SERVED + path.slice(path.lastIndexOf('/') + 1)

/** The scripts that a script imports, and they in turn, without those that it loads later. */
function neededBy(path: string, outputs: Metafile['outputs'], found = new Set<string>()): Set<string> {
  for (const { kind, path: next, external } of outputs[path]?.imports ?? []) {
    if (kind !== 'import-statement' || external || found.has(next)) continue
    found.add(next)
    neededBy(next, outputs, found)
  }
  return found
}

if (import.meta.main) {
  const since = performance.now()
  await buildConsole()
  console.log(`${BUILT} is written, in ${Math.round(performance.now() - since)} ms`)
}
