import { isEmpty, noteMigration, prepareLayout } from '../../domain/maintenance/migrate.ts'
import type { Store } from '../../domain/table/store.ts'
import { alarmsThatRollBack } from '../build/alarms.ts'
import type { Deployed } from '../build/deploymentPlugin.ts'
import { boundaryOf } from '../build/permissionsBoundary.ts'
import type { Values } from '../build/stageParameters.ts'
import { checkIssuer } from './checkIssuer.ts'
import { checkStage, type Reached } from './checkStage.ts'
import { type Described, outputsOf } from './existingTable.ts'
import { consolePackage } from './keepFormerConsole.ts'
import { requireAgreed } from './parameterChanges.ts'
import {
  adoptTable,
  expandTable,
  type Parameters,
  requireWell,
  type Stack,
  type Stacks,
  settled,
  TABLE,
  type Template,
  type Wanted,
} from './tableStack.ts'

/** All that the command does and reads outside of its process. */
export type Effects = Reached & {
  stacks: Stacks
  describe: (tableName: string) => Promise<Described>
  store: (tableName: string) => Store
  /** The existing alarms with these names. */
  alarms: (names: readonly string[]) => Promise<{ name: string; arn: string; isRinging: boolean }[]>
  clock: () => Date
  /** Reads a file of S3. */
  file: (place: { bucket: string; key: string }) => Promise<Uint8Array>
  /** Builds the console, and keeps for the package what browsers still ask for of the deployed one, whose zip this is. */
  keepConsole: (deployed: Uint8Array | undefined) => Promise<void>
  /** Runs the Serverless command; throws unless it ends with 0. */
  serverless: (args: readonly string[], deployed?: Deployed) => Promise<void>
}

export type Options = {
  stage: string
  region: string
  /** Parameters of the command, as name=value, and the values that result from them and the stage's file. */
  params: readonly string[]
  values: Values
  /** Parameters that may lose values, or change who may call. */
  change: readonly string[]
  /** Another table for the stage, and the name of the current one. */
  table?: string | undefined
  insteadOf?: string | undefined
  /** The table that the stage uses, to be adopted by its stack. */
  adopt?: string | undefined
  isProtected: boolean
  template: Template
}

const PACKAGE = '.serverless'

/**
 * Deploys a stage. It creates what the new functions need in the table, deploys the functions, checks them, and rolls them back if
 * they do not work. Then it migrates the items, and deletes what only the old functions used. It can be interrupted and repeated at
 * any point. Throws before anything changes if the stage would lose parameters or switch its table without being asked, or if the
 * functions could not work with the table's items.
 */
export async function deploy(world: Effects, options: Options): Promise<void> {
  const { stacks, serverless, say } = world
  const { stage, region, params, values, template } = options
  const before = await deployedFunctions(world, stage)
  if (before) requireAgreed(before.template.Metadata?.Rollcall?.parameters, values, options.change)
  await checkIssuer(world, values)
  const wanted: Wanted = {
    name: `rollcall-${stage}-table`,
    template,
    parameters: {
      DeletionProtection: String(options.isProtected),
      BackupVaultArn: String(values['backupVaultArn']),
      Boundary: boundaryOf(stage),
    },
    // The policy of the deployer goes by the tag STAGE, which the Serverless command gives the other stack.
    tags: { service: 'rollcall', ...(values['tags'] as Parameters), STAGE: stage },
  }
  const own = await settled(stacks, wanted.name, say)
  if (!before && !own) requirePlainName(stage)
  const table = await tableToUse(world, options, before, own)
  const common = ['--stage', stage, '--region', region, ...params.map((param) => `--param=${param}`)]
  if (values['console']) await world.keepConsole(await deployedConsole(world, before))
  // First, so that a fault in packaging does not change the table.
  await serverless(['package', '--package', PACKAGE, ...common])
  const { outputs, contract } = await prepareTable(world, options, wanted, own, table)
  const store = world.store(outputs['TableName'] ?? '')
  await prepareLayout(store)
  const watched = before ? await alarmsToWatch(world, stage, before, values) : []
  // --force: the command would skip a deployment with the same packages, even with another table.
  await serverless(['deploy', '--force', '--package', PACKAGE, ...common], { table: outputs, watched })
  await checkStage(world, stage, values).catch((error: Error) => rollBack(world, common, before, error))
  await migrated(world, store)
  await contract()
  say(`${stage} is deployed with the table ${outputs['TableName']}`)
}

/**
 * Throws unless a new stage has a plain name. The policy of `dev` names its resources `rollcall-dev-…`, so it would reach those of
 * `dev-2`, and the bucket of `Dev`.
 */
function requirePlainName(stage: string): void {
  if (/^[a-z0-9]+$/.test(stage)) return
  throw new Error(`A new stage has a name of small letters and digits, so that no other stage can reach it: ${stage}.`)
}

/** The stack of the functions once nothing is under way; undefined if it has no functions yet. */
async function deployedFunctions({ stacks, say }: Effects, stage: string): Promise<Stack | undefined> {
  const name = `rollcall-${stage}`
  const stack = await settled(stacks, name, say)
  if (!stack) return undefined
  requireWell(name, stack)
  // A first deployment that was interrupted has only a bucket.
  return stack.parameters['TableName'] ? stack : undefined
}

/** The zip of the deployed console; undefined if there is none. */
async function deployedConsole({ file, say }: Effects, before: Stack | undefined): Promise<Uint8Array | undefined> {
  const place = before && consolePackage(before)
  return (
    place &&
    file(place).catch((error: Error) => {
      say(`Consoles that are open now must be loaded again: the deployed files cannot be read (${error.message})`)
      return undefined
    })
  )
}

/** The name of the table for the stage; undefined if it must be created. Throws if the stage uses another one. */
async function tableToUse(
  world: Effects,
  options: Options,
  before: Stack | undefined,
  ownStack: Stack | undefined,
): Promise<string | undefined> {
  const { stage, table, insteadOf, adopt } = options
  const named = table ?? adopt
  const isClear = insteadOf ? table : !(table && adopt)
  if (!isClear)
    throw new Error('Switch with --table NAME --instead-of OLD, and with --adopt NAME in a later deployment.')
  if (!before) return named ?? ownTable(world, stage, ownStack)
  const used = before.parameters['TableName']
  if (!named || named === used) return used
  // Without `table`, the named one is adopted.
  if (table && insteadOf === used) return table
  throw new Error(`${stage} uses the table ${used}. To switch it first: --table ${named} --instead-of ${used}.`)
}

/** The table of the stage's stack. If the functions were removed, nothing shows which table they used. */
async function ownTable({ store }: Effects, stage: string, ownStack: Stack | undefined): Promise<string | undefined> {
  const own = ownStack?.outputs['TableName']
  if (own && !(await isEmpty(store(own))))
    throw new Error(
      `${stage} has no functions that say which table they use. Name it: --table ${own} for that of its stack.`,
    )
  if (ownStack?.status.endsWith('COMPLETE') && !own && !ownStack.template.Resources[TABLE])
    throw new Error('The stack of the table has released it. Name the table: --adopt NAME.')
  return own
}

/** Updates the table for old and new functions; a table without a stack is only checked. */
async function prepareTable(
  { stacks, describe, say }: Effects,
  { adopt, template, isProtected }: Options,
  wanted: Wanted,
  own: Stack | undefined,
  table: string | undefined,
): ReturnType<typeof expandTable> {
  if (adopt) {
    // If the command was interrupted after this, the stack has the table already.
    if (own?.outputs['TableName'] !== adopt) outputsOf(await describe(adopt), template, { isWhole: true, isProtected })
    await adoptTable(stacks, wanted, adopt, say)
  }
  if (adopt || !table || table === own?.outputs['TableName']) return expandTable(stacks, wanted, say)
  say(`${table} belongs to no stack of this stage: it is used unchanged until --adopt ${table}`)
  const outputs = outputsOf(await describe(table), template, { isWhole: false, isProtected })
  return { outputs, contract: async () => {} }
}

/**
 * ARNs of the alarms that roll back the update. An alarm that is already firing would roll back the repair, and CloudFormation
 * refuses one that does not exist.
 */
async function alarmsToWatch(
  { alarms, say }: Effects,
  stage: string,
  before: Stack,
  values: Values,
): Promise<string[]> {
  if (values['watchMinutes'] === 0) return []
  const text = JSON.stringify(before.template)
  const names = alarmsThatRollBack(stage).filter((name) => text.includes(`"${name}"`))
  const found = names.length > 0 ? await alarms(names) : []
  const ringing = found.filter(({ isRinging }) => isRinging).map(({ name }) => name)
  if (ringing.length > 0) say(`Not watched, as they are firing already: ${ringing.join(', ')}`)
  say(
    `CloudFormation watches ${found.length - ringing.length} alarms, until ${values['watchMinutes']} minutes after the update`,
  )
  return found.filter(({ isRinging }) => !isRinging).map(({ arn }) => arn)
}

/** Deploys the previous version again, with its table, and throws the fault of the new one. */
async function rollBack(
  { serverless, say }: Effects,
  common: readonly string[],
  before: Stack | undefined,
  { message }: Error,
): Promise<never> {
  const [, former] = /"serverless\/rollcall\/[^/"]+\/(\d+)-/.exec(JSON.stringify(before?.template ?? '')) ?? []
  if (!before || !former)
    throw new Error(
      `The stage does not work: ${message}. There is no version to go back to: repair it, and deploy again.`,
    )
  say(`The new version does not work: ${message}. The stage goes back to the previous version.`)
  const { TableName = '', TableArn = '', TableStreamArn = '' } = before.parameters
  await serverless(['rollback', '--timestamp', former, ...common], {
    table: { TableName, TableArn, TableStreamArn },
    watched: [],
  })
  throw new Error(`The new version did not work, and the stage has the previous version again: ${message}.`)
}

/** After this many attempts without progress, something is wrong. */
const MANY_ATTEMPTS = 3

/** Waits until the functions have migrated the items to the newest layout. Throws the reason if there is no progress. */
async function migrated({ stacks, clock, say }: Effects, store: Store): Promise<void> {
  let last = ''
  for (;;) {
    const stage = await noteMigration(store, clock().toISOString())
    if (!stage) return
    const text = `migration to layout ${stage.to}: ${stage.done} rows`
    if (stage.attempts >= MANY_ATTEMPTS)
      throw new Error(
        `The ${text}, then it failed ${stage.attempts} times: ${stage.fault ?? 'the log of finishWork says why'}. ` +
          'Calls go on. Deploy a version that repairs it: it goes on where it is.',
      )
    if (text !== last) say(text)
    last = text
    await stacks.pause()
  }
}
