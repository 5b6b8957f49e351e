// npm run layers: dependency-cruiser checks here that imports point down only, and never in a circle.
import { readdirSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const foldersIn = (path) =>
  readdirSync(new URL(path, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

/** Bottom to top: a folder imports from the folders before it, and from itself. */
const folders = [
  'schemas',
  // Engines: they know requests and the table, not what an organisation is.
  'domain/base',
  'domain/table',
  'domain/work',
  'domain/request',
  // Who somebody is decides which roles they have. Records come first, as rules, users and groups need each other's.
  'domain/people/records',
  'domain/people/finding',
  'domain/people/organisation',
  'domain/people/attributes',
  'domain/people/roles',
  'domain/people/tokens',
  'domain/people/rules',
  'domain/people/users',
  'domain/people/groups',
  'domain/people/channels',
  'domain/people/own',
  'domain/people/access',
  'domain/tasks',
  'domain/calendar',
  'domain/events',
  // Links to other software, and what goes on without a call.
  'domain/webhooks',
  'domain/scim',
  'domain/import',
  'domain/plans',
  'domain/maintenance',
  'handlers',
]

/** What the rest of domain/ may import of people/, besides its records. Everything else is private to people/. */
const offers = [
  'channels/channelMembers',
  'access/actorNow',
  'finding/(?:candidates|findUsers)',
  'groups/(?:changeMembers|clearGroup|membership|moveToAllUsers|removeGroups)',
  'rules/(?:applyRules|applyToUser|exceptedUsers|matching|roleChanges|rule|ruleInput|ruleRules|ruleSet|ruleWrites|rulesForChange|rulesForWork|rulesInUserChange)',
  'tokens/serviceToken',
  'users/(?:change|creation|finishRename|references|userLifeCycle|writeContext)',
]

/** An operation has the name of its endpoint, and so of the handler's file. SCIM's three handlers and the console's are not endpoints. */
const operations = foldersIn('handlers')
  .filter((name) => !['console', 'gateway', 'identity', 'maintenance', 'middleware', 'scim'].includes(name))
  .flatMap((folder) => readdirSync(new URL(`handlers/${folder}`, root)))
  .map((file) => file.replace(/\.ts$/, ''))

/** A batch runs its single operation: updateUsers runs updateUser. */
const batches = operations.filter((name) => name.endsWith('s') && operations.includes(name.slice(0, -1)))

/** Plans carry out each change by the operation of the single call. */
const carriesOut = '^domain/plans/runChange\\.ts$'

const anyOf = (names) => `(?:${names.join('|')})`
const within = (names) => `^${anyOf(names)}/`
const operation = (names) => `^domain/(?:people/)?[a-z]+/${anyOf(names)}\\.ts$`

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', comment: 'Files that import each other', from: {}, to: { circular: true } },
    ...folders.slice(0, -1).map((name, place) => ({
      name: 'imports-point-down',
      severity: 'error',
      comment: `The order of folders is in local/layers.mjs: ${name}/ imports none that come after it`,
      from: { path: within([name]) },
      to: { path: within(folders.slice(place + 1)) },
    })),
    {
      name: 'each-folder-has-its-place',
      severity: 'error',
      comment: 'Give the folder its place in local/layers.mjs',
      from: { path: '^(?:handlers|domain|schemas)/', pathNot: within(folders) },
      to: {},
    },
    {
      name: 'people-offers-a-short-list',
      severity: 'error',
      comment: 'The list is in local/layers.mjs; everything else of people/ is private to it',
      from: { path: '^domain/', pathNot: ['^domain/people/', carriesOut] },
      to: { path: '^domain/people/', pathNot: `^domain/people/(?:records/|${anyOf(offers)}\\.ts$)` },
    },
    {
      name: 'only-handlers-import-operations',
      severity: 'error',
      comment: 'Code that operations share is in another file of the feature',
      from: { path: '^domain/', pathNot: [operation(batches), carriesOut] },
      to: { path: operation(operations) },
    },
    ...batches.map((name) => ({
      name: 'a-batch-imports-its-single-operation',
      severity: 'error',
      comment: 'Code that operations share is in another file of the feature',
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
