import { isDeepStrictEqual } from 'node:util'
import type { TableIndex } from '../build/serviceFile.ts'

type Named = { AttributeName: string }

/** A CloudFormation template with a table, as far as it is looked into. */
export type Template = {
  Resources: {
    Table: { Properties: { AttributeDefinitions: Named[]; KeySchema: Named[]; GlobalSecondaryIndexes: TableIndex[] } }
  }
}
export type Parameters = Record<string, string>
export type Stack = { status: string; template: Template; outputs: Parameters }

/** What the deploy command needs of CloudFormation. */
export type Stacks = {
  read: (name: string) => Promise<Stack | undefined>
  create: (name: string, template: Template, parameters: Parameters) => Promise<void>
  /** Begins an update; false if nothing has changed. */
  update: (name: string, template: Template, parameters: Parameters) => Promise<boolean>
  /** Lets nobody delete the stack by mistake. */
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

/** What DynamoDB says of a table, as far as it is looked into. */
export type Described = {
  TableName?: string | undefined
  TableArn?: string | undefined
  LatestStreamArn?: string | undefined
  StreamSpecification?: { StreamEnabled?: boolean | undefined; StreamViewType?: string | undefined } | undefined
  GlobalSecondaryIndexes?: { IndexName?: string | undefined; IndexStatus?: string | undefined }[] | undefined
}

/** The outputs of the table's stack for a table that no stack has made. Throws if functions could not work with it. */
export function outputsOf(table: Described, wanted: Template): Parameters {
  const { TableName = '', TableArn = '', LatestStreamArn, StreamSpecification, GlobalSecondaryIndexes = [] } = table
  // A stream that is turned off still has an ARN.
  const isHeard = StreamSpecification?.StreamEnabled && StreamSpecification.StreamViewType === 'NEW_AND_OLD_IMAGES'
  if (!LatestStreamArn || !isHeard)
    throw new Error(`${TableName} has no stream with new and old images: turn it on, see docs/operate.md.`)
  const active = GlobalSecondaryIndexes.filter(({ IndexStatus }) => IndexStatus === 'ACTIVE')
  const lacking = indexesOf(wanted).filter(({ IndexName }) => !active.some((index) => index.IndexName === IndexName))
  if (lacking.length > 0)
    throw new Error(
      `${TableName} lacks ${lacking.map(({ IndexName }) => IndexName).join(', ')}: make each as in table.yml.`,
    )
  return { TableName, TableArn, TableStreamArn: LatestStreamArn }
}

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

type Wanted = { name: string; template: Template; parameters: Parameters }
type Say = (text: string) => void

/**
 * Makes the table's stack, or brings it so far that old and new functions find what they need. Answers its outputs, and
 * what is left to do once the new functions run. Interrupted, it goes on where it was: what CloudFormation has begun is
 * waited for, and what is done is seen.
 */
export async function expandTable(
  stacks: Stacks,
  { name, template, parameters }: Wanted,
  say: Say,
): Promise<{ outputs: Parameters; contract: () => Promise<void> }> {
  let stack = await settled(stacks, name, say)
  if (stack?.status === 'ROLLBACK_COMPLETE') {
    say(`${name}: the last creation failed and left nothing: it is removed`)
    await stacks.remove(name)
    stack = await settled(stacks, name, say)
  }
  if (!stack) {
    say(`${name}: make the table`)
    await stacks.create(name, template, parameters)
    const { outputs } = await completed(stacks, name, say)
    await stacks.protect(name)
    return { outputs, contract: async () => {} }
  }
  if (stuck.test(stack.status)) throw stuckIn(name, stack)
  const run = async (steps: readonly Step[]): Promise<void> => {
    for (const step of steps) {
      if (!(await stacks.update(name, step.template, parameters))) continue
      say(`${name}: ${step.what}`)
      await completed(stacks, name, say)
    }
  }
  const { expand, contract } = stepsBetween(stack.template, template)
  await run(expand)
  await stacks.protect(name)
  const { outputs } = (await settled(stacks, name, say)) as Stack
  return { outputs, contract: () => run(contract) }
}

/** The stack once nothing is under way any more; undefined if there is none. */
async function settled(stacks: Stacks, name: string, say: Say): Promise<Stack | undefined> {
  let stack = await stacks.read(name)
  while (stack?.status.endsWith('_IN_PROGRESS')) {
    say(`${name}: ${stack.status}`)
    await stacks.pause()
    stack = await stacks.read(name)
  }
  return stack?.status === 'DELETE_COMPLETE' ? undefined : stack
}

const stuck = /FAILED$|^ROLLBACK|^DELETE/
const good = new Set(['CREATE_COMPLETE', 'UPDATE_COMPLETE'])

/** The stack after something was begun; throws if that has failed. */
async function completed(stacks: Stacks, name: string, say: Say): Promise<Stack> {
  const stack = await settled(stacks, name, say)
  if (stack && good.has(stack.status)) return stack
  throw stuckIn(name, stack)
}

const stuckIn = (name: string, stack: Stack | undefined): StackStuck =>
  new StackStuck(`${name} is ${stack?.status ?? 'not there'}: the events of the stack in CloudFormation say why.`)
