import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const standIns = fileURLToPath(new URL('bundleStandIns.ts', import.meta.url))

/**
 * Files of packages that Lambda never needs. In bundles, bundleStandIns.ts replaces them. The savings are kilobytes of a bundle,
 * and processor time of loading getUser (createTask for HTML entities) in a fresh process:
 *
 *     credential providers other than the environment   140 kB   11 ms
 *     event streams                                      12 kB    5 ms
 *     rules for the endpoints of all services            12 kB    1 ms
 *     the partitions of AWS, data of these rules          5 kB   <1 ms
 *     endpoint discovery                                  8 kB    1 ms
 *     names of 2,000 HTML entities                       26 kB    5 ms
 *     profiles in files                                   3 kB    1 ms
 */
const replaced = [
  '@aws-sdk/credential-provider-node/dist-es/index.js',
  '@smithy/core/dist-es/submodules/event-streams/index.js',
  '@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js',
  '@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js',
  '@aws-sdk/endpoint-cache/dist-es/index.js',
  '@smithy/core/dist-es/submodules/config/shared-ini-file-loader/loadSharedConfigFiles.js',
  'entities/dist/decode.js',
]

/** The parser alone: the package's entry also builds documents, and decodes entities by their names. */
const htmlParser = 'htmlparser2/dist/Parser.js'

/**
 * An esbuild plugin that leaves out files that Lambda never needs. It fails if a package is not as expected: the plugin if
 * a file is missing, esbuild if a file has a new export. `folder` has the packages.
 */
export const leaveOut = (folder: string = modules): Plugin => ({
  name: 'leave-out',
  setup(build) {
    for (const file of [...replaced, htmlParser]) requireFile(folder, file)
    const standIn = { contents: `export * from ${JSON.stringify(standIns)}`, resolveDir: dirname(standIns) }
    build.onLoad({ filter: filterOf(replaced) }, () => standIn)
    build.onResolve({ filter: /^htmlparser2$/ }, () => ({ path: folder + htmlParser, sideEffects: false }))
  },
})

/** Matches the paths of these files below node_modules. */
function filterOf(files: readonly string[]): RegExp {
  const patterns = files.map((file) => file.replaceAll('.', '\\.').replaceAll('/', '[\\/]'))
  return new RegExp(`[\\/]node_modules[\\/](?:${patterns.join('|')})$`)
}

function requireFile(folder: string, file: string): void {
  if (existsSync(folder + file)) return
  const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(file) ?? []
  const { version } = JSON.parse(readFileSync(`${folder}${name}/package.json`, 'utf8'))
  throw new Error(`local/build/leaveOut.ts does not fit ${name} ${version}: ${file} is missing`)
}
