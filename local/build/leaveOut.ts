import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { shortParser } from './shortParser.ts'

const standIns = fileURLToPath(new URL('standIns.ts', import.meta.url))
const htmlParser = fileURLToPath(new URL('../src/Parser.ts', import.meta.resolve('htmlparser2')))
const eventStreams = fileURLToPath(new URL('eventStreamStandIn.ts', import.meta.url))

// Packages, and files inside the SDK's packages, that standIns.ts stands for.
const replaced = [
  /^@aws-sdk\/(credential-provider-node|endpoint-cache)$/,
  /^entities\/decode$/,
  /^\..*\/(Sha256Js|AdaptiveRetryStrategy|fromSharedConfigFiles|getInstanceMetadataRegion|endpointResolver|partitions|date-utils|HeaderFormatter|HttpBindingNormalizedSchema|service-customizations|loggerMiddleware|schemaLogFilter|getRecursionDetectionPlugin|recursionDetectionMiddleware|emitWarningIfUnsupportedVersion|pagination)$/,
]
const filter = new RegExp(replaced.map(({ source }) => source).join('|'))

// The error whose members are read. All others need no class of their own: without one the SDK throws them under their
// names all the same.
const readError = 'TransactionCanceledException'
const registration = /^n0_registry\.registerError\(\w+\$, (\w+)\);$/gm

/** Cuts a bundle to what Lambda runs: about half of the SDK's weight, and with it of the time to load. */
const leaveOut: Plugin = {
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter }, ({ path, importer }) =>
      path.startsWith('.') && !/[\\/]node_modules[\\/]@(aws-sdk|smithy)[\\/]/.test(importer)
        ? undefined
        : { path: standIns, sideEffects: false },
    )
    build.onResolve({ filter: /^@smithy\/core\/event-streams$/ }, () => ({ path: eventStreams, sideEffects: false }))
    build.onResolve({ filter: /^htmlparser2$/ }, () => ({ path: htmlParser, sideEffects: false }))
    build.onLoad({ filter: /htmlparser2[\\/]src[\\/]Parser\.ts$/ }, async ({ path }) => ({
      contents: await shortParser(build, path),
      resolveDir: dirname(path),
    }))
    build.onLoad({ filter: /client-dynamodb[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(registration, (line, error) =>
        error === readError ? line : '',
      ),
    }))
    // The SDK reads its own version for the user agent, and a bundler would take the whole file along.
    build.onLoad({ filter: /[\\/]@aws-sdk[\\/][^\\/]+[\\/]package\.json$/ }, async ({ path }) => {
      const { default: about } = await import(path, { with: { type: 'json' } })
      return { contents: JSON.stringify({ version: about.version }), loader: 'json' }
    })
  },
}

export default [leaveOut]
