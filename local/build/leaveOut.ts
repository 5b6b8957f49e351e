import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

const standIns = fileURLToPath(new URL('standIns.ts', import.meta.url))
const eventStreams = fileURLToPath(new URL('eventStreamStandIn.ts', import.meta.url))

// Packages, and files inside the SDK's packages, that standIns.ts stands for.
const replaced = [
  /^@aws-sdk\/(credential-provider-node|endpoint-cache)$/,
  /^\..*\/(Sha256Js|AdaptiveRetryStrategy|fromSharedConfigFiles|getInstanceMetadataRegion|endpointResolver|partitions|date-utils)$/,
]
const filter = new RegExp(replaced.map(({ source }) => source).join('|'))

// Errors that operations on items answer with. Those on tables, backups and the like need no class of their own: without
// one the SDK still throws them under their name.
const errorsOfItems = new Set([
  'ConditionalCheckFailedException',
  'IdempotentParameterMismatchException',
  'InternalServerError',
  'ItemCollectionSizeLimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ResourceNotFoundException',
  'ThrottlingException',
  'TransactionCanceledException',
  'TransactionConflictException',
  'TransactionInProgressException',
])
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
    build.onLoad({ filter: /client-dynamodb[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(registration, (line, error) =>
        errorsOfItems.has(error) ? line : '',
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
