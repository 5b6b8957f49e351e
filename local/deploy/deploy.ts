import { expandTable, type Parameters, type Stacks, type Template } from './tableStack.ts'

/** What the command does outside this process. */
export type World = {
  stacks: Stacks
  /** Outputs in the form of the table's stack for a table that no stack has made. */
  describe: (tableName: string) => Promise<Parameters>
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
 * Deploys a stage: the table so far that old and new functions find what they need, then the functions, then drops from the
 * table what only the old functions have used. It can be interrupted and repeated at any point.
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
    ? { outputs: await world.describe(table), contract: async () => {} }
    : await expandTable(stacks, wanted, say)
  const names = { tableName: 'TableName', tableArn: 'TableArn', tableStreamArn: 'TableStreamArn' }
  const found = Object.entries(names).map(([param, output]) => `--param=${param}=${outputs[output] ?? ''}`)
  await serverless(['deploy', '--package', PACKAGE, ...common, ...found])
  await contract()
  say(`${stage} is deployed with the table ${outputs.TableName}`)
}
