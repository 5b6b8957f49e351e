import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { shortParser } from './shortParser.ts'

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const standIns = fileURLToPath(new URL('standIns.ts', import.meta.url))

/**
 * Files that Lambda never runs, by package. In bundles standIns.ts takes their place: esbuild reports an export that it
 * lacks. docs/decisions/bundles.md says what each group saves.
 */
const replaced: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/credential-provider-node': ['dist-es/index.js'],
  '@aws-sdk/endpoint-cache': ['dist-es/index.js'],
  '@aws-sdk/client-dynamodb': ['dist-es/endpoint/endpointResolver.js', 'dist-es/pagination/index.js'],
  '@aws-sdk/core': [
    'dist-es/submodules/client/emitWarningIfUnsupportedVersion.js',
    'dist-es/submodules/client/middleware-logger/loggerMiddleware.js',
    'dist-es/submodules/client/middleware-recursion-detection/getRecursionDetectionPlugin.js',
    'dist-es/submodules/client/util-endpoints/lib/aws/partitions.js',
  ],
  '@aws-sdk/lib-dynamodb': ['dist-es/pagination/index.js'],
  '@smithy/core': [
    'dist-es/submodules/checksum/sha256/Sha256Js.js',
    'dist-es/submodules/client/smithy-client/emitWarningIfUnsupportedVersion.js',
    'dist-es/submodules/client/smithy-client/schemaLogFilter.js',
    'dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js',
    'dist-es/submodules/config/node-config-provider/fromSharedConfigFiles.js',
    'dist-es/submodules/endpoints/middleware-endpoint/service-customizations/index.js',
    'dist-es/submodules/protocols/HttpBindingNormalizedSchema.js',
    'dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js',
    'dist-es/submodules/serde/date-utils.js',
  ],
  '@smithy/signature-v4': ['dist-es/HeaderFormatter.js'],
  entities: ['dist/decode.js'],
}

const eventStreams = '@smithy/core/dist-es/submodules/event-streams/index.js'
// The SDK imports event streams only when an operation has any, and no operation of DynamoDB has. esbuild keeps all of
// a file that is imported like this, so its stand-in has nothing else.
const noEventStreams = `
const leftOut = () => { throw new Error('Event streams were left out of the bundle: see local/build/leaveOut.ts') }
export { leftOut as eventStreamSerdeProvider, leftOut as EventStreamSerde }`

const errorClasses = '@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js'
// The error whose members are read. The SDK throws all others under their names without a class of their own, too.
const readError = 'TransactionCanceledException'
const registration = /^n0_registry\.registerError\(\w+\$, (\w+)\);$/gm

const htmlParser = 'htmlparser2/src/Parser.ts'

/** A filter for files below node_modules. */
function filterOf(files: readonly string[]): RegExp {
  const patterns = files.map((file) => file.replaceAll('.', '\\.').replaceAll('/', '[\\/]'))
  return new RegExp(`[\\/]node_modules[\\/](?:${patterns.join('|')})$`)
}

/** Cuts bundles to what Lambda runs. Fails if a package is not as expected; `folder` is where the packages are. */
export const leaveOut = (folder: string = modules): Plugin => ({
  name: 'leave-out',
  setup(build) {
    const files = Object.entries(replaced).flatMap(([name, paths]) => paths.map((path) => `${name}/${path}`))
    for (const file of [...files, eventStreams, errorClasses, htmlParser])
      if (!existsSync(folder + file)) throw unexpected(folder, file, 'is not there')
    const standIn = { contents: `export * from ${JSON.stringify(standIns)}`, resolveDir: dirname(standIns) }
    build.onLoad({ filter: filterOf(files) }, () => standIn)
    build.onLoad({ filter: filterOf([eventStreams]) }, () => ({ contents: noEventStreams }))
    build.onLoad({ filter: filterOf([errorClasses]) }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const registered = [...source.matchAll(registration)].map(([, error]) => error)
      if (registered.length < 2 || !registered.includes(readError))
        throw unexpected(folder, errorClasses, 'registers its errors in another way')
      return { contents: source.replaceAll(registration, (line, error) => (error === readError ? line : '')) }
    })
    build.onResolve({ filter: /^htmlparser2$/ }, () => ({ path: folder + htmlParser, sideEffects: false }))
    build.onLoad({ filter: filterOf([htmlParser]) }, async ({ path }) => {
      const contents = await shortParser(build, path)
      if (contents === undefined) throw unexpected(folder, htmlParser, 'has other private names')
      return { contents, resolveDir: dirname(path) }
    })
    // The SDK reads its own version for the user agent; without this a bundle would hold the whole file.
    build.onLoad({ filter: /[\\/]@aws-sdk[\\/][^\\/]+[\\/]package\.json$/ }, async ({ path }) => {
      const { default: about } = await import(path, { with: { type: 'json' } })
      return { contents: JSON.stringify({ version: about.version }), loader: 'json' }
    })
  },
})

function unexpected(folder: string, file: string, what: string): Error {
  const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(file) ?? []
  const { version } = JSON.parse(readFileSync(`${folder}${name}/package.json`, 'utf8'))
  return new Error(`local/build/leaveOut.ts does not fit ${name} ${version}: ${file} ${what}`)
}

export default [leaveOut()]
