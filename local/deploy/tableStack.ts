import { isDeepStrictEqual } from 'node:util'
import type { TableIndex } from '../build/yamlFiles.ts'

type Named = { AttributeName: string }

/** The logical name of the table in table.yml. */
export const TABLE = 'Table'

/** The parts of a CloudFormation template with a table that are used here. */
export type Template = {
  Metadata?: { Rollcall?: { parameters?: Record<string, unknown> } }
  Resources: {
    Table: { Properties: TableProperties }
    /** Of the functions' stack, with a console. */
    ConsoleLambdaFunction?: { Properties: { Code: { S3Key: string } } }
  }
}
type TableProperties = { AttributeDefinitions: Named[]; KeySchema: Named[]; GlobalSecondaryIndexes: TableIndex[] }
export type Parameters = Record<string, string>
export type Stack = { status: string; template: Template; outputs: Parameters; parameters: Parameters }
/** The wanted state of a stack. */
export type Wanted = { name: string; template: Template; parameters: Parameters; tags: Parameters }

/** The calls of CloudFormation that the deploy command needs. */
export type Stacks = {
  read: (name: string) => Promise<Stack | undefined>
  create: (wanted: Wanted) => Promise<void>
  /** Begins an update; false if nothing has changed. Only with this flag can the table leave the stack. */
  update: (wanted: Wanted, how?: { releasesTable?: boolean }) => Promise<boolean>
  /** Begins to adopt an existing table in a stack, which is created if it does not exist. */
  adopt: (wanted: Wanted, tableName: string) => Promise<void>
  /** Protects the stack against deletion, and its table against updates that would delete or replace it. */
  protect: (name: string) => Promise<void>
  remove: (name: string) => Promise<void>
  /** Waits before the next check. */
  pause: () => Promise<unknown>
}

/** A stack in a state that a person must check. */
export class StackStuck extends Error {
  override name = 'StackStuck'
}

/** One update of the stack: CloudFormation creates or deletes one index at a time. */
export type Step = { what: string; template: Template }

const indexesOf = ({ Resources }: Template): TableIndex[] => Resources.Table.Properties.GlobalSecondaryIndexes

/**
 * The updates from the current table to the wanted one. `expand` comes before the new functions: it creates indexes, and
 * changes everything else. `contract` comes after them: it deletes indexes that only old functions used.
 */
export function stepsBetween(now: Template, wanted: Template): { expand: Step[]; contract: Step[] } {
  const [before, after] = [indexesOf(now), indexesOf(wanted)]
  const named = (name: string) => (index: TableIndex) => index.IndexName === name
  for (const index of after) {
    const old = before.find(named(index.IndexName))
    if (old && !isDeepStrictEqual(old, index))
      throw new StackStuck(`An index cannot be changed. Give ${index.IndexName} another name in table.yml.`)
  }
  const added = after.filter(({ IndexName }) => !before.some(named(IndexName)))
  const dropped = before.filter(({ IndexName }) => !after.some(named(IndexName)))
  const all = [...before]
  const expand = added.map((index) => {
    all.push(index)
    return { what: `create index ${index.IndexName}`, template: withIndexes(wanted, now, all) }
  })
  const contract = dropped.map((index) => {
    all.splice(all.indexOf(index), 1)
    return { what: `delete index ${index.IndexName}`, template: withIndexes(wanted, now, all) }
  })
  const same = { what: 'update everything else', template: withIndexes(wanted, now, before) }
  return { expand: [same, ...expand], contract }
}

/** The wanted template with these indexes, and with the key attributes of these and of the table. */
function withIndexes(wanted: Template, now: Template, indexes: readonly TableIndex[]): Template {
  const { Table } = wanted.Resources
  const keys = [Table.Properties.KeySchema, ...indexes.map(({ KeySchema }) => KeySchema)].flat()
  const isUsed = ({ AttributeName }: Named) => keys.some((key) => key.AttributeName === AttributeName)
  const defined = [Table.Properties, now.Resources.Table.Properties].flatMap((one) => one.AttributeDefinitions)
  const distinct = [...new Map(defined.map((one) => [one.AttributeName, one])).values()]
  const Properties = {
    ...Table.Properties,
    AttributeDefinitions: distinct.filter(isUsed),
    GlobalSecondaryIndexes: [...indexes],
  }
  return { ...wanted, Resources: { ...wanted.Resources, Table: { ...Table, Properties } } }
}

type Say = (text: string) => void

/**
 * Creates the table's stack, or updates it so that old and new functions find their indexes. Returns its outputs, and the
 * updates for the time after the new functions run. It can be interrupted and repeated: it waits for updates that
 * CloudFormation has begun, and skips finished ones.
 */
export async function expandTable(
  stacks: Stacks,
  wanted: Wanted,
  say: Say,
): Promise<{ outputs: Parameters; contract: () => Promise<void> }> {
  const { name, template } = wanted
  let stack = await settled(stacks, name, say)
  if (stack?.status === 'ROLLBACK_COMPLETE') {
    say(`${name}: the last creation failed and left nothing: the stack is removed`)
    await stacks.remove(name)
    stack = await settled(stacks, name, say)
  }
  if (!stack) {
    say(`${name}: create the table`)
    await stacks.create(wanted)
    const { outputs } = await completed(stacks, name, say)
    await stacks.protect(name)
    return { outputs, contract: async () => {} }
  }
  requireWell(name, stack)
  await stacks.protect(name)
  const run = async (steps: readonly Step[]): Promise<void> => {
    for (const step of steps) {
      if (!(await stacks.update({ ...wanted, template: step.template }))) continue
      say(`${name}: ${step.what}`)
      await completed(stacks, name, say)
    }
  }
  const { expand, contract } = stepsBetween(stack.template, template)
  await run(expand)
  const { outputs } = (await settled(stacks, name, say)) as Stack
  return { outputs, contract: () => run(contract) }
}

/**
 * Adopts a table that no stack created in the stage's stack. The current table leaves the stack. Both tables stay as they
 * are. It can be interrupted and repeated.
 */
export async function adoptTable(stacks: Stacks, wanted: Wanted, tableName: string, say: Say): Promise<void> {
  const { name } = wanted
  const stack = await settled(stacks, name, say)
  if (stack) requireWell(name, stack)
  const old = stack?.outputs['TableName']
  if (old === tableName) return
  if (old) {
    say(`${name}: release ${old}, which stays as it is`)
    await stacks.update({ ...wanted, template: withoutTable(stack.template, wanted.template) }, { releasesTable: true })
    await completed(stacks, name, say)
  }
  // Without an output the stack already has the adopted table: an earlier command was interrupted here.
  if (!old && stack?.template.Resources[TABLE]) return
  say(`${name}: adopt ${tableName}`)
  const base = stack && withoutTable(stack.template, wanted.template)
  await stacks.adopt({ ...wanted, template: withTable(base, wanted.template) }, tableName)
  await completed(stacks, name, say)
}

type Loose = Template & { Outputs?: object; Parameters?: object; Conditions?: object }

/** A stack's template without the table and resources that refer to it. The others stay: a vault cannot be created twice. */
function withoutTable({ Outputs: _, ...now }: Loose, { Parameters, Conditions }: Loose): Template {
  const refers = (resource: unknown) => JSON.stringify(resource).includes(`{"Fn::GetAtt":["${TABLE}",`)
  const others = Object.entries(now.Resources).filter(([name, one]) => name !== TABLE && !refers(one))
  // A stack needs a resource.
  const keeper = { Type: 'AWS::CloudFormation::WaitConditionHandle' }
  return { ...now, Parameters, Conditions, Resources: { ...Object.fromEntries(others), Keeper: keeper } } as never
}

/** The template of a resource import: it may add only the table, but no outputs and no other resource. */
function withTable(base: Template | undefined, { Outputs: _, ...wanted }: Loose): Template {
  return { ...wanted, Resources: { ...base?.Resources, [TABLE]: wanted.Resources[TABLE] } }
}

/** Waits until no update is under way. Returns the stack; undefined if there is none. */
export async function settled(stacks: Stacks, name: string, say: Say): Promise<Stack | undefined> {
  let stack = await stacks.read(name)
  while (stack?.status.endsWith('_IN_PROGRESS') && stack.status !== 'REVIEW_IN_PROGRESS') {
    say(`${name}: ${stack.status}`)
    await stacks.pause()
    stack = await stacks.read(name)
  }
  // A stack in review is a change set that was never executed: it has no resources.
  return ['DELETE_COMPLETE', 'REVIEW_IN_PROGRESS'].includes(stack?.status ?? '') ? undefined : stack
}

const stuck = /FAILED$|^ROLLBACK|^DELETE/
const good = new Set(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE'])

/** Throws if the stack is in a state that cannot be updated. */
export function requireWell(name: string, stack: Stack): void {
  if (stuck.test(stack.status)) throw stuckIn(name, stack)
}

/** The stack after an update; throws if that failed. */
async function completed(stacks: Stacks, name: string, say: Say): Promise<Stack> {
  const stack = await settled(stacks, name, say)
  if (stack && good.has(stack.status)) return stack
  throw stuckIn(name, stack)
}

const stuckIn = (name: string, stack: Stack | undefined): StackStuck =>
  new StackStuck(
    `${name} is ${stack?.status ?? 'missing'}: the events of the stack in CloudFormation say why. ` +
      'docs/operate.md, "Roll back", says how to go on.',
  )
