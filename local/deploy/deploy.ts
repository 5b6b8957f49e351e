import { noteMigration, prepareLayout } from '../../domain/jobs/migrate.ts'
import type { Store } from '../../domain/table/store.ts'
import { type Described, expandTable, outputsOf, type Stacks, type Template } from './tableStack.ts'

/** What the command does outside this process. */
export type World = {
  stacks: Stacks
  describe: (tableName: string) => Promise<Described>
  store: (tableName: string) => Store
  now: () => Date
  /** Runs the Serverless command; throws unless it ends with 0. */
  serverless: (args: readonly string[]) => Promise<void>
  say: (text: string) => void
}

export type Options = {
  stage: string
  region: string
  /** Parameters of serverless.yml, as name=value. */
  params: readonly string[]
  /** A table that the stage is pointed at in place of its own. */
  table?: string | undefined
  isProtected: boolean
  template: Template
}

const PACKAGE = '.serverless'

/**
 * Deploys a stage: the table so far that old and new functions find what they need, then the functions; then has the items
 * migrated, and drops from the table what only the old functions have used. It can be interrupted and repeated at any
 * point. Throws before any function is deployed that could not work with the table's items.
 */
export async function deploy(world: World, options: Options): Promise<void> {
  const { stacks, serverless, say } = world
  const { stage, region, params, table } = options
  const common = ['--stage', stage, '--region', region, ...params.map((param) => `--param=${param}`)]
  // What cannot be packaged, or lacks a parameter, must not change the table.
  await serverless(['package', '--package', PACKAGE, ...common])
  const wanted = {
    name: `rollcall-${stage}-table`,
    template: options.template,
    parameters: { DeletionProtection: String(options.isProtected) },
  }
  const { outputs, contract } = table
    ? { outputs: outputsOf(await world.describe(table), options.template), contract: async () => {} }
    : await expandTable(stacks, wanted, say)
  const store = world.store(outputs.TableName ?? '')
  await prepareLayout(store)
  const names = { tableName: 'TableName', tableArn: 'TableArn', tableStreamArn: 'TableStreamArn' }
  const found = Object.entries(names).map(([param, output]) => `--param=${param}=${outputs[output] ?? ''}`)
  // By force: the command compares packages, which are the same for another table, and would change nothing.
  await serverless(['deploy', '--force', '--package', PACKAGE, ...common, ...found])
  await migrated(world, store)
  await contract()
  say(`${stage} is deployed with the table ${outputs.TableName}`)
}

/** From so many attempts without progress on, something is wrong. */
const MANY_ATTEMPTS = 3

/** Has the functions bring the items to the newest layout, and waits for them. */
async function migrated({ stacks, now, say }: World, store: Store): Promise<void> {
  let told = ''
  for (;;) {
    const stage = await noteMigration(store, now().toISOString())
    if (!stage) return
    const trouble = stage.attempts >= MANY_ATTEMPTS ? ': it fails again and again, the log of finishWork says why' : ''
    const text = `migration to layout ${stage.to}: ${stage.done} rows${trouble}`
    if (text !== told) say(text)
    told = text
    await stacks.pause()
  }
}
