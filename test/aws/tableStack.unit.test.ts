import { describe, expect, it } from 'vitest'
import { type TableIndex, tableTemplate } from '../../local/build/yamlFiles.ts'
import { expandTable, StackStuck, type Stacks, stepsBetween, type Template } from '../../local/deploy/tableStack.ts'

const index = (name: string, projected: string[] = []): TableIndex & object =>
  ({
    IndexName: name,
    KeySchema: [
      { AttributeName: 'list', KeyType: 'HASH' },
      { AttributeName: name, KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: projected },
  }) as TableIndex

/** A table with these indexes besides its own keys. */
function template(...indexes: TableIndex[]): Template {
  const wanted = structuredClone(tableTemplate()) as Template
  const names = ['pk', 'sk', ...new Set(indexes.flatMap(({ KeySchema }) => KeySchema.map((key) => key.AttributeName)))]
  Object.assign(wanted.Resources.Table.Properties, {
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexes: indexes,
  })
  return wanted
}
const namesOf = ({ Resources }: Template) =>
  Resources.Table.Properties.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
const keysOf = ({ Resources }: Template) =>
  Resources.Table.Properties.AttributeDefinitions.map(({ AttributeName }) => AttributeName)

/** CloudFormation as it behaves: a step takes two looks, and makes or drops one index at most. */
function cloud(begun?: { status: string; template: Template }) {
  const done: string[] = []
  let stack = begun
  let becomes: string | undefined
  let looks = 0
  let refuses = ''
  const begin = (status: string, final: string) => {
    becomes = final
    looks = 0
    if (stack) stack.status = status
  }
  const stacks: Stacks = {
    read: async () => {
      if (stack && becomes && ++looks >= 2) {
        stack.status = becomes
        becomes = undefined
        if (stack.status === 'DELETE_COMPLETE') stack = undefined
      }
      return stack && { ...stack, outputs: { TableName: 't', TableArn: 'a', TableStreamArn: 's' }, parameters: {} }
    },
    create: async ({ name, template: made }) => {
      done.push(`create ${name}`)
      stack = { status: '', template: made }
      begin('CREATE_IN_PROGRESS', 'CREATE_COMPLETE')
    },
    update: async ({ template: wanted }) => {
      if (!stack || JSON.stringify(stack.template) === JSON.stringify(wanted)) return false
      expect(stack.status).not.toMatch(/PROGRESS/)
      const [before, after] = [namesOf(stack.template), namesOf(wanted)]
      const changed = [
        ...after.filter((name) => !before.includes(name)).map((name) => `+${name}`),
        ...before.filter((name) => !after.includes(name)).map((name) => `-${name}`),
      ]
      expect(changed.length, 'CloudFormation makes or drops one index per update').toBeLessThanOrEqual(1)
      done.push(changed[0] ?? 'other')
      if (changed[0] === refuses) begin('UPDATE_IN_PROGRESS', 'UPDATE_ROLLBACK_COMPLETE')
      else {
        stack.template = wanted
        begin('UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE')
      }
      return true
    },
    adopt: async () => expect.unreachable(),
    protect: async () => void done.push('protect'),
    remove: async () => {
      done.push('remove')
      begin('DELETE_IN_PROGRESS', 'DELETE_COMPLETE')
    },
    pause: async () => {},
  }
  const refuse = (step: string) => {
    refuses = step
  }
  return { stacks, done, refuse, state: () => stack }
}

const wantedOf = (wanted: Template) => ({ name: 'table', template: wanted, parameters: {}, tags: {} })
const silent = () => {}

describe('steps', () => {
  it('make one index at a time before the functions, and drop one at a time after them', () => {
    const now = template(index('a'), index('b'), index('c'))
    const { expand, contract } = stepsBetween(now, template(index('b'), index('d'), index('e')))
    expect(expand.map((step) => namesOf(step.template).join(''))).toEqual(['abc', 'abcd', 'abcde'])
    expect(contract.map((step) => namesOf(step.template).join(''))).toEqual(['bcde', 'bde'])
  })

  it('declare exactly the attributes that are keys, as CloudFormation demands', () => {
    const { expand, contract } = stepsBetween(template(index('a')), template(index('b')))
    expect(expand.map((step) => keysOf(step.template).sort().join())).toEqual(['a,list,pk,sk', 'a,b,list,pk,sk'])
    expect(contract.map((step) => keysOf(step.template).sort().join())).toEqual(['b,list,pk,sk'])
  })

  it('end with the wanted table', () => {
    const wanted = tableTemplate() as Template
    const { expand, contract } = stepsBetween(template(index('old')), wanted)
    expect(new Set(namesOf(contract.at(-1)?.template as Template))).toEqual(new Set(namesOf(wanted)))
    expect(expand).toHaveLength(1 + namesOf(wanted).length)
  })

  it('cannot change an index', () => {
    const change = () => stepsBetween(template(index('a')), template(index('a', ['more'])))
    expect(change).toThrow('Give a another name in table.yml')
  })
})

describe('a deployment', () => {
  it('creates a missing table at once, and protects its stack', async () => {
    const { stacks, done } = cloud()
    const { outputs, contract } = await expandTable(stacks, wantedOf(template(index('a'), index('b'))), silent)
    await contract()
    expect(done).toEqual(['create table', 'protect'])
    expect(outputs.TableName).toBe('t')
  })

  it('can be interrupted anywhere, and goes on where it was', async () => {
    const wanted = template(index('c'), index('d'))
    for (let looks = 1; looks < 12; looks++) {
      const { stacks, done, state } = cloud({ status: 'UPDATE_COMPLETE', template: template(index('a'), index('b')) })
      let left = looks
      const read: Stacks['read'] = (name) => {
        if (left-- === 0) throw new Error('interrupted')
        return stacks.read(name)
      }
      const run = async (world: Stacks) => (await expandTable(world, wantedOf(wanted), silent)).contract()
      await run({ ...stacks, read }).catch((error: Error) => expect(error.message).toBe('interrupted'))
      await run(stacks)
      expect(namesOf(state()?.template as Template)).toEqual(['c', 'd'])
      expect(done.filter((step) => /[+-]/.test(step))).toEqual(['+c', '+d', '-a', '-b'])
    }
  })

  it('that failed once is repeated: the creation from its beginning, an update with the step that failed', async () => {
    const failed = cloud({ status: 'ROLLBACK_COMPLETE', template: template() })
    await expandTable(failed.stacks, wantedOf(template(index('a'))), silent)
    expect(failed.done).toEqual(['remove', 'create table', 'protect'])

    const { stacks, done, refuse } = cloud({ status: 'UPDATE_COMPLETE', template: template() })
    refuse('+b')
    const wanted = wantedOf(template(index('a'), index('b')))
    await expect(expandTable(stacks, wanted, silent)).rejects.toThrow('table is UPDATE_ROLLBACK_COMPLETE')
    refuse('')
    await expandTable(stacks, wanted, silent)
    expect(done).toEqual(['protect', '+a', '+b', 'protect', '+b'])
  })

  it.each(['UPDATE_ROLLBACK_FAILED', 'DELETE_FAILED', 'ROLLBACK_FAILED'])('stops at %s', async (status) => {
    const { stacks, done } = cloud({ status, template: template(index('a')) })
    await expect(expandTable(stacks, wantedOf(template()), silent)).rejects.toThrow(StackStuck)
    expect(done).toEqual([])
  })
})
