import { isDeepStrictEqual } from 'node:util'
import type { TableIndex } from '../build/serviceFile.ts'

type Named = { AttributeName: string }

/** The logical name of the table in table.yml. */
export const TABLE = 'Table'

/** A CloudFormation template with a table, as far as it is looked into. */
export type Template = {
  Metadata?: { Rollcall?: { parameters?: Record<string, unknown> } }
  Resources: {
    Table: { Properties: TableProperties }
  }
}
type TableProperties = { AttributeDefinitions: Named[]; KeySchema: Named[]; GlobalSecondaryIndexes: TableIndex[] }
export type Parameters = Record<string, string>
export type Stack = { status: string; template: Template; outputs: Parameters; parameters: Parameters }
/** What a stack is to be. */
export type Wanted = { name: string; template: Template; parameters: Parameters; tags: Parameters }

/** What the deploy command needs of CloudFormation. */
export type Stacks = {
  read: (name: string) => Promise<Stack | undefined>
  create: (wanted: Wanted) => Promise<void>
  /** Begins an update; false if nothing has changed. The table can leave the stack only where this is said. */
  update: (wanted: Wanted, how?: { releasesTable?: boolean }) => Promise<boolean>
  /** Begins to bring an existing table into a stack, which is made if it does not exist. */
  adopt: (wanted: Wanted, tableName: string) => Promise<void>
  /** Lets nobody delete the stack by mistake, and no update delete or replace its table. */
  protect: (name: string) => Promise<void>
  remove: (name: string) => Promise<void>
  /** Waits before the next look. */
  pause: () => Promise<unknown>
}

/** A stack in a state that only a person can judge. */
export class StackStuck extends Error {
  override name = 'StackStuck'
}

/** One update of the stack: CloudFormation makes or drops one index at a time. */
export type Step = { what: string; template: Template }

const indexesOf = ({ Resources }: Template): TableIndex[] => Resources.Table.Properties.GlobalSecondaryIndexes

/**
 * The updates that lead from the table as it is to the one that is wanted. `expand` comes before new functions: it makes
 * indexes, and changes all else. `contract` comes after them: it drops what only old functions have used.
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
    return { what: `make index ${index.IndexName}`, template: withIndexes(wanted, now, all) }
  })
  const contract = dropped.map((index) => {
    all.splice(all.indexOf(index), 1)
    return { what: `drop index ${index.IndexName}`, template: withIndexes(wanted, now, all) }
  })
  const same = { what: 'bring all else up to date', template: withIndexes(wanted, now, before) }
  return { expand: [same, ...expand], contract }
}

/** The wanted template with these indexes, and with the attributes that they and the table have as keys. */
function withIndexes(wanted: Template, now: Template, indexes: readonly TableIndex[]): Template {
  const { Table } = wanted.Resources
  const keys = [Table.Properties.KeySchema, ...indexes.map(({ KeySchema }) => KeySchema)].flat()
  const isUsed = ({ AttributeName }: Named) => keys.some((key) => key.AttributeName === AttributeName)
  const known = [Table.Properties, now.Resources.Table.Properties].flatMap((one) => one.AttributeDefinitions)
  const distinct = [...new Map(known.map((one) => [one.AttributeName, one])).values()]
  const Properties = {
    ...Table.Properties,
    AttributeDefinitions: distinct.filter(isUsed),
    GlobalSecondaryIndexes: [...indexes],
  }
  return { ...wanted, Resources: { ...wanted.Resources, Table: { ...Table, Properties } } }
}

type Say = (text: string) => void

/**
 * Makes the table's stack, or brings it so far that old and new functions find what they need. Answers its outputs, and
 * what is left to do once the new functions run. Interrupted, it goes on where it was: what CloudFormation has begun is
 * waited for, and what is done is seen.
 */
export async function expandTable(
  stacks: Stacks,
  wanted: Wanted,
  say: Say,
): Promise<{ outputs: Parameters; contract: () => Promise<void> }> {
  const { name, template } = wanted
  let stack = await settled(stacks, name, say)
  if (stack?.status === 'ROLLBACK_COMPLETE') {
    say(`${name}: the last creation failed and left nothing: it is removed`)
    await stacks.remove(name)
    stack = await settled(stacks, name, say)
  }
  if (!stack) {
    say(`${name}: make the table`)
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
 * Brings a table that no stack has made into the stage's stack; the table that was there leaves the stack and stays as it
 * is. Nothing of a table changes. May be interrupted and repeated.
 */
export async function adoptTable(stacks: Stacks, wanted: Wanted, tableName: string, say: Say): Promise<void> {
  const { name } = wanted
  const stack = await settled(stacks, name, say)
  if (stack) requireWell(name, stack)
  const old = stack?.outputs['TableName']
  if (old === tableName) return
  if (old) {
    say(`${name}: let go of ${old}, which stays as it is`)
    await stacks.update({ ...wanted, template: withoutTable(stack.template, wanted.template) }, { releasesTable: true })
    await completed(stacks, name, say)
  }
  // Without an output the table of the stack is the adopted one, of a command that was interrupted here.
  if (!old && stack?.template.Resources[TABLE]) return
  say(`${name}: adopt ${tableName}`)
  const base = stack && withoutTable(stack.template, wanted.template)
  await stacks.adopt({ ...wanted, template: withTable(base, wanted.template) }, tableName)
  await completed(stacks, name, say)
}

type Loose = Template & { Outputs?: object; Parameters?: object; Conditions?: object }

/** A stack's template without the table and what refers to it. All else stays: a vault could not be made twice. */
function withoutTable({ Outputs: _, ...now }: Loose, { Parameters, Conditions }: Loose): Template {
  const refers = (resource: unknown) => JSON.stringify(resource).includes(`{"Fn::GetAtt":["${TABLE}",`)
  const others = Object.entries(now.Resources).filter(([name, one]) => name !== TABLE && !refers(one))
  // A stack cannot be without resources.
  const keeper = { Type: 'AWS::CloudFormation::WaitConditionHandle' }
  return { ...now, Parameters, Conditions, Resources: { ...Object.fromEntries(others), Keeper: keeper } } as never
}

/** An import adds the table alone: no outputs, and no other resource. */
function withTable(base: Template | undefined, { Outputs: _, ...wanted }: Loose): Template {
  return { ...wanted, Resources: { ...base?.Resources, [TABLE]: wanted.Resources[TABLE] } }
}

/** The stack once nothing is under way any more; undefined if there is none. */
export async function settled(stacks: Stacks, name: string, say: Say): Promise<Stack | undefined> {
  let stack = await stacks.read(name)
  while (stack?.status.endsWith('_IN_PROGRESS') && stack.status !== 'REVIEW_IN_PROGRESS') {
    say(`${name}: ${stack.status}`)
    await stacks.pause()
    stack = await stacks.read(name)
  }
  // A stack in review is a change set that was never executed: it has no resources yet.
  return ['DELETE_COMPLETE', 'REVIEW_IN_PROGRESS'].includes(stack?.status ?? '') ? undefined : stack
}

const stuck = /FAILED$|^ROLLBACK|^DELETE/
const good = new Set(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE'])

/** Throws about a stack that no update can go on with. */
export function requireWell(name: string, stack: Stack): void {
  if (stuck.test(stack.status)) throw stuckIn(name, stack)
}

/** The stack after something was begun; throws if that has failed. */
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
