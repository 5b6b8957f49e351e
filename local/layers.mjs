// npm run layers: dependency-cruiser checks here that imports point down only, and never in a circle.
import { readdirSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const foldersIn = (path) =>
  readdirSync(new URL(path, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

/** Folders of domain/ that are not features. */
const spanning = ['jobs', 'import']
const mechanisms = ['request', 'table', 'base']
/** SCIM is another interface to the records and rules: its files are on the level of operations, and may import each other. */
const faces = ['scim']
const features = foldersIn('domain').filter((name) => ![...spanning, ...mechanisms, ...faces].includes(name))

/** An operation has the name of its endpoint, and so of the handler's file. */
const operations = foldersIn('handlers')
  .filter((name) => name !== 'middleware')
  .flatMap((folder) => readdirSync(new URL(`handlers/${folder}`, root)))
  .map((file) => file.replace(/\.ts$/, ''))

const anyOf = (names) => `(?:${names.join('|')})`
const operation = (names) => `^domain/${anyOf(features)}/${anyOf(names)}\\.ts$`

/** Top to bottom. Records are all files of a feature except its operations. */
const layers = [
  { name: 'handlers', path: '^handlers/' },
  { name: 'operations', path: `${operation(operations)}|^domain/${anyOf(faces)}/` },
  { name: 'jobs', path: `^domain/${anyOf(spanning)}/` },
  { name: 'records', path: `^domain/${anyOf(features)}/(?!${anyOf(operations)}\\.ts$)` },
  ...mechanisms.map((name) => ({ name, path: `^domain/${name}/` })),
  { name: 'schemas', path: '^schemas/' },
]

const upward = layers.slice(1).map(({ name, path }, above) => ({
  name: `${name}-import-nothing-above`,
  severity: 'error',
  comment: `Imports point down only: ${layers.map((layer) => layer.name).join(' -> ')}`,
  from: { path },
  to: { path: layers.slice(0, above + 1).map((layer) => layer.path) },
}))

/** A batch runs its single operation: updateUsers runs updateUser. */
const batches = operations.filter((name) => name.endsWith('s') && operations.includes(name.slice(0, -1)))
const alone = 'Code that operations share belongs in a record file; only a batch imports its single operation'

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', comment: 'Files that import each other', from: {}, to: { circular: true } },
    ...upward,
    {
      name: 'operations-import-no-operations',
      severity: 'error',
      comment: alone,
      from: { path: operation(operations.filter((name) => !batches.includes(name))) },
      to: { path: operation(operations) },
    },
    ...batches.map((name) => ({
      name: 'operations-import-no-operations',
      severity: 'error',
      comment: alone,
      from: { path: operation([name]) },
      to: { path: operation(operations.filter((other) => other !== name.slice(0, -1))) },
    })),
    {
      name: 'only-table-imports-the-SDK',
      severity: 'error',
      comment: 'domain/table/ is the only place that knows DynamoDB; requests to S3 and KMS are signed',
      from: { path: '^(?:handlers|domain|schemas)/', pathNot: '^domain/(?:table/|base/aws\\.ts$)' },
      to: { path: '^(?:node_modules/)?@(?:aws-sdk|smithy)/' },
    },
    {
      name: 'nothing-imports-a-handler',
      severity: 'error',
      comment: 'Handlers are entry points; shared code is in handlers/middleware/',
      from: { path: '^(?:handlers|domain|schemas)/' },
      to: { path: '^handlers/(?!middleware/)' },
    },
    {
      name: 'product-imports-no-tools',
      severity: 'error',
      comment: 'handlers/, domain/ and schemas/ are deployed; local/ and test/ are not',
      from: { path: '^(?:handlers|domain|schemas)/' },
      to: { path: '^(?:local|test)/' },
    },
    {
      name: 'not-resolvable',
      severity: 'error',
      comment: 'The check cannot follow this import',
      from: { path: '^(?:handlers|domain|schemas)/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    // Imports of types count, too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^schemas/compiled/' },
  },
}
