import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../domain/table/store.ts'
import { alarmResources } from '../../local/build/alarms.ts'
import type { Deployed } from '../../local/build/deploymentPlugin.ts'
import { valuesOf } from '../../local/build/stageParameters.ts'
import { tableTemplate } from '../../local/build/yamlFiles.ts'
import { cloudFormation } from '../../local/deploy/cloudFormation.ts'
import { deploy, type Effects, type Options } from '../../local/deploy/deploy.ts'
import { describeTable } from '../../local/deploy/existingTable.ts'
import { type CloudStack, startCloud } from './cloud.ts'

// Deployments with the real deploy code and the real clients of AWS, against a stand-in of AWS that keeps what they make.
// Only the Serverless command is played here: what it packages and deploys itself is proven by deployCommand.test.ts.

// biome-ignore lint/suspicious/noExplicitAny: templates are data of any shape
type Any = any

const before = { ...process.env }
let cloud: Awaited<ReturnType<typeof startCloud>>
/** Lines that the command has printed, and commands of Serverless that it has run. */
let lines: string[] = []
let commands: string[] = []
let deployments = 0
/** What the issuer and the console answer, by address. */
let pages: Record<string, { status: number; body: string }> = {}
/** The zips of deployed consoles whose files were kept, before each package. */
let kept: (string | undefined)[] = []
/** Whether the table that a deployment looks at has records. */
let isEmpty = true

beforeAll(async () => {
  cloud = await startCloud()
  Object.assign(process.env, cloud.env)
})
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  cloud.stop()
})
beforeEach(() => {
  cloud.stacks.clear()
  cloud.tables.clear()
  cloud.calls.length = 0
  lines = []
  commands = []
  kept = []
  pages = {}
  isEmpty = true
})
const { api, invoke } = {
  api: () => ({ status: 401, body: '{"error_code":"UNAUTHENTICATED"}' }),
  invoke: () => undefined,
}
afterEach(() => {
  Object.assign(cloud.world, { api, invoke, fails: undefined })
  cloud.world.ringing.clear()
})

const store = (): Store =>
  ({
    get: async () => undefined,
    query: async () => ({ items: isEmpty ? [] : [{}], count: 0 }),
    write: async () => {},
  }) as unknown as Store

/** The functions' stack as the Serverless command leaves it. */
function functionsStack(stage: string, values: object, table: Deployed['table']): CloudStack {
  const key = `serverless/rollcall/${stage}/${1_000 + ++deployments}-2026-11-22T10:00:00.000Z/getUser.zip`
  const template = {
    Metadata: { Rollcall: { parameters: values } },
    Resources: { ...alarmResources(stage, values as Any), GetUser: { Properties: { Code: { S3Key: key } } } },
  }
  const outputs = { HttpApiUrl: cloud.url, DomainTarget: 'd-1.execute-api.test' }
  return { status: 'UPDATE_COMPLETE', template, parameters: { ...table }, outputs, tags: {} }
}

const file = {
  ...{ tokenIssuer: 'https://issuer.test', tokenAudience: 'rollcall', corsOrigins: ['https://app.test'] },
  ...{ alarmEmail: 'ops@example.org', tags: { team: 'people' } },
  userPoolArn: 'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_aB3',
}
type How = Partial<Omit<Options, 'params'>> & { file?: object; params?: string[] }

async function run({ file: content = file, params = [], stage = 'prod', ...how }: How = {}): Promise<void> {
  const values = valuesOf({ file: content as Any, options: params })
  const world: Effects = {
    stacks: cloudFormation('eu-west-1', 0),
    describe: (name) => describeTable('eu-west-1', name),
    store,
    alarms: async (names) =>
      names.map((name) => ({ name, arn: `arn:${name}`, isRinging: cloud.world.ringing.has(name) })),
    get: async (url) => (pages[url.replace(cloud.url, '')] ?? cloud.world.api(url)) as { status: number; body: string },
    invoke: async (name) => {
      const fault = cloud.world.invoke(name)
      if (fault) throw new Error(fault)
    },
    clock: () => new Date(),
    file: async ({ bucket, key }) => Buffer.from(`${bucket}/${key}`),
    keepConsole: async (deployed) => {
      kept.push(deployed && Buffer.from(deployed).toString())
    },
    serverless: async (args, deployed) => {
      commands.push(args[0] === 'rollback' ? args.slice(0, 3).join(' ') : String(args[0]))
      if (args[0] === 'package') return
      const stack = functionsStack(stage, args[0] === 'deploy' ? values : {}, deployed?.table ?? {})
      cloud.stacks.set(`rollcall-${stage}`, { ...stack, rollback: deployed?.watched })
    },
    say: (line) => lines.push(line),
  }
  await deploy(world, {
    ...{ stage, region: 'eu-west-1', params, values, change: [], isProtected: true, template: tableTemplate() },
    ...how,
  })
}
const refused = async (how?: How): Promise<string> => {
  const calls = cloud.calls.length
  const ran = commands.length
  const message = await run(how).then(
    () => '',
    (error: Error) => error.message,
  )
  const changing = /:(Create|Update|Delete|Execute|Set)/
  expect(cloud.calls.slice(calls).filter((call) => changing.test(call))).toEqual([])
  expect(commands.slice(ran)).toEqual([])
  return message
}
const functions = () => cloud.stacks.get('rollcall-prod') as CloudStack
const tableStack = () => cloud.stacks.get('rollcall-prod-table') as CloudStack
const own = () => tableStack().outputs['TableName'] as string
/** A restored table: as it should be, then changed by `change`. */
function restore(name: string, change: (table: Any) => void = () => {}): string {
  const table = cloud.tableAs(name, structuredClone(tableTemplate().Resources.Table.Properties))
  change(table)
  cloud.tables.set(name, table)
  return name
}

describe('a first deployment', () => {
  it.each(['prod-2', 'Prod'])(
    'is refused for a stage whose resources that of another stage could reach: %s',
    async (stage) => {
      expect(await refused({ stage })).toContain('small letters and digits')
    },
  )

  it('makes the table, protects it, deploys the functions with it, and checks them', async () => {
    await run()
    expect(commands).toEqual(['package', 'deploy'])
    expect(functions().parameters).toEqual({
      ...{
        TableName: own(),
        TableArn: expect.stringContaining('table/'),
        TableStreamArn: expect.stringContaining('stream'),
      },
    })
    const { policy, isProtected, tags } = tableStack()
    expect(isProtected).toBe(true)
    expect(tags).toEqual({ service: 'rollcall', team: 'people', STAGE: 'prod' })
    expect(policy.Statement).toContainEqual({
      ...{ Effect: 'Deny', Action: ['Update:Replace', 'Update:Delete'], Principal: '*' },
      Resource: 'LogicalResourceId/Table',
    })
    expect(lines).toContain('checked: the functions read and write their table')
    expect(lines.at(-1)).toBe(`prod is deployed with the table ${own()}`)
  })

  it('goes on with the table that an interrupted one has made', async () => {
    await run()
    const made = own()
    cloud.stacks.delete('rollcall-prod')
    await run()
    expect(own()).toBe(made)
  })

  it('of functions that do not work has nothing to go back to, and says so', async () => {
    cloud.world.invoke = () => 'AccessDenied'
    await expect(run()).rejects.toThrow('The stage does not work: AccessDenied. There is no version to go back to')
    expect(commands).toEqual(['package', 'deploy'])
  })
})

describe('parameters', () => {
  beforeEach(async () => {
    await run()
    commands = []
  })

  it('that were a text before they could be a list are the same as a list of that text', async () => {
    await run({ file: { ...file, tokenAudience: ['rollcall'] } })
    expect(commands).toEqual(['package', 'deploy'])
    expect(functions().template.Metadata.Rollcall.parameters.tokenAudience).toBe('rollcall')
  })

  it('that are left out do not revert in silence: the recipe with one parameter is refused, and names what would go', async () => {
    const message = await refused({
      file: {},
      params: ['tokenIssuer=https://issuer.test', 'tokenAudience=rollcall', 'importBucket=our-files'],
    })
    const named = [...message.matchAll(/^- (\w+): (.*)$/gm)].map(([, name]) => name)
    expect(named).toEqual(['userPoolArn', 'corsOrigins', 'alarmEmail', 'tags'])
    expect(message).toContain('- alarmEmail: "ops@example.org" would become nothing')
    expect(message).toContain('--change userPoolArn --change corsOrigins --change alarmEmail --change tags')
  })

  it('that decide who may call change only if they are named', async () => {
    const other = { ...file, tokenAudience: 'other' }
    expect(await refused({ file: other })).toContain('- tokenAudience: "rollcall" would become "other"')
    expect(await refused({ file: other, change: ['tokenIssuer'] })).toContain('tokenAudience')
    await run({ file: other, change: ['tokenAudience'] })
    expect(functions().template.Metadata.Rollcall.parameters.tokenAudience).toBe('other')
  })

  it('that only get another value, or more of it, need no word', async () => {
    await run({
      file: {
        ...file,
        alarmEmail: 'team@example.org',
        requestsPerSecond: 500,
        corsOrigins: ['https://app.test', 'https://b.test'],
      },
    })
    expect(commands).toEqual(['package', 'deploy'])
    expect(await refused({ file: { ...file, alarmEmail: 'team@example.org', requestsPerSecond: 500 } })).toContain(
      'corsOrigins',
    )
  })

  it('lose what is named, and nothing that does not exist can be named', async () => {
    const { alarmEmail: _, ...rest } = file
    expect(await refused({ file: rest, change: ['alarmMail'] })).toBe('--change: there is no parameter alarmMail.')
    await run({ file: rest, change: ['alarmEmail'] })
    expect(functions().template.Metadata.Rollcall.parameters.alarmEmail).toBe('')
  })

  it('of a version that does not say them cannot be compared: the operator looks them up', async () => {
    delete functions().template.Metadata
    expect(await refused()).toContain('deploy once with --change everything')
    await run({ change: ['everything'] })
    commands = []
    await run()
  })
})

describe('the table of a stage', () => {
  beforeEach(async () => {
    await run()
    restore('restored')
    commands = []
  })

  it('stays the one that the functions use: a forgotten flag does not bring back the harmed one', async () => {
    const harmed = own()
    await run({ table: 'restored', insteadOf: harmed })
    expect(functions().parameters['TableName']).toBe('restored')
    await run()
    expect(functions().parameters['TableName']).toBe('restored')
    expect(own()).toBe(harmed)
  })

  it('is switched only by naming both', async () => {
    const used = own()
    const command = `--table restored --instead-of ${used}`
    expect(await refused({ table: 'restored' })).toContain(command)
    expect(await refused({ table: 'restored', insteadOf: 'another' })).toContain(command)
    expect(await refused({ insteadOf: used })).toContain('Switch with --table NAME --instead-of OLD')
    await run({ table: 'restored', insteadOf: used })
    // Repeated after an interruption, and back again.
    await run({ table: 'restored', insteadOf: used })
    expect(await refused({ table: used })).toContain('--instead-of restored')
    await run({ table: used, insteadOf: 'restored' })
    expect(functions().parameters['TableName']).toBe(used)
  })

  it('is named after the functions were removed, if it has records', async () => {
    cloud.stacks.delete('rollcall-prod')
    isEmpty = false
    expect(await refused()).toContain(`Name it: --table ${own()}`)
    await run({ table: 'restored' })
    expect(functions().parameters['TableName']).toBe('restored')
  })

  it('is not replaced or deleted by an update, whatever the template says', async () => {
    const template = structuredClone(tableTemplate())
    template.Resources.Table.Properties.KeySchema[1].AttributeName = 'list'
    const table = own()
    await expect(run({ template })).rejects.toThrow('Action denied by stack policy: Update:Replace')
    expect([own(), commands]).toEqual([table, ['package']])
  })

  it.each<[string, (table: Any) => void]>([
    ['its key is not pk and sk', ({ described }) => described.KeySchema.pop()],
    ['it has no stream with new and old images', ({ described }) => delete described.LatestStreamArn],
    [
      'it has no stream with new and old images',
      ({ described }) => (described.StreamSpecification.StreamEnabled = false),
    ],
    [
      'it has no stream with new and old images',
      ({ described }) => (described.StreamSpecification.StreamViewType = 'NEW_IMAGE'),
    ],
    ['items do not expire by the attribute ttl', ({ expiry }) => (expiry.TimeToLiveStatus = 'DISABLED')],
    ['items do not expire by the attribute ttl', ({ expiry }) => (expiry.AttributeName = 'expires')],
    ['its point-in-time recovery is off', (table) => (table.isBackedUp = false)],
    ['it is not encrypted with a KMS key', ({ described }) => delete described.SSEDescription],
    ['its deletion protection is off', ({ described }) => (described.DeletionProtectionEnabled = false)],
    ['it lacks the index by_last_name', ({ described }) => described.GlobalSecondaryIndexes.shift()],
    [
      'its index by_last_name is CREATING',
      ({
        described: {
          GlobalSecondaryIndexes: [first],
        },
      }) => (first.IndexStatus = 'CREATING'),
    ],
    [
      'its index by_last_name has other keys',
      ({
        described: {
          GlobalSecondaryIndexes: [first],
        },
      }) => first.KeySchema.pop(),
    ],
    [
      'its index by_last_name holds other attributes',
      ({
        described: {
          GlobalSecondaryIndexes: [first],
        },
      }) => first.Projection.NonKeyAttributes.pop(),
    ],
  ])('can only be one as table.yml wants it: %s', async (says, change) => {
    restore('wrong', change)
    await expect(run({ table: 'wrong', insteadOf: own() })).rejects.toThrow(`- ${says}`)
    expect(commands).toEqual(['package'])
  })

  it('that is restored is adopted by the stack, and the old one stays as it is', async () => {
    const old = own()
    expect(await refused({ adopt: 'restored' })).toContain(`--table restored --instead-of ${old}`)
    await run({ table: 'restored', insteadOf: old })
    await run({ adopt: 'restored' })
    expect(own()).toBe('restored')
    expect(Object.keys(tableStack().template.Resources)).toEqual(Object.keys(tableTemplate().Resources))
    expect([...cloud.tables.keys()]).toEqual([old, 'restored'])
    expect(lines).toContain(`rollcall-prod-table: release ${old}, which stays as it is`)
    // From now on it is the stage's, and adopting it again does nothing.
    await run()
    await run({ adopt: 'restored' })
    expect(functions().parameters['TableName']).toBe('restored')
  })

  it('is adopted by a stage that has no stack of a table yet', async () => {
    cloud.stacks.clear()
    await run({ table: 'restored' })
    await run({ adopt: 'restored' })
    expect(own()).toBe('restored')
  })

  it('leaves the vault of backups in the stack when it is adopted: it could not be made twice', async () => {
    await run({ table: 'restored', insteadOf: own() })
    const kept: boolean[] = []
    const set = cloud.stacks.get('rollcall-prod-table') as CloudStack
    let template = set.template
    Object.defineProperty(set, 'template', {
      get: () => template,
      set: (next) => {
        kept.push('BackupVault' in next.Resources && 'BackupKey' in next.Resources)
        template = next
      },
    })
    await run({ adopt: 'restored' })
    expect(kept.length).toBeGreaterThanOrEqual(3)
    expect(kept).not.toContain(false)
  })

  it('with another index is not adopted: CloudFormation would not know of it', async () => {
    cloud.tables.get('restored')?.described.GlobalSecondaryIndexes.push({ IndexName: 'more', IndexStatus: 'ACTIVE' })
    await run({ table: 'restored', insteadOf: own() })
    await expect(run({ adopt: 'restored' })).rejects.toThrow('it has an index more')
  })

  it.each(['UpdateStack', 'CreateChangeSet', 'DescribeChangeSet', 'ExecuteChangeSet', 'SetStackPolicy'])(
    'is adopted although the command was interrupted at %s',
    async (action) => {
      await run({ table: 'restored', insteadOf: own() })
      cloud.world.fails = action
      await expect(run({ adopt: 'restored' })).rejects.toThrow('interrupted')
      await run({ adopt: 'restored' })
      expect([own(), tableStack().policy.Statement.length]).toEqual(['restored', 2])
    },
  )
})

describe('a release', () => {
  beforeEach(async () => {
    await run()
    commands = []
  })

  it('is watched by the alarms that exist, except those that are firing already', async () => {
    cloud.world.ringing.add('rollcall-prod-SlowCalls')
    await run()
    const watched = ['ServerErrors', 'LoginsFailed', 'WorkFailed', 'EventsFailed'].map(
      (name) => `arn:rollcall-prod-${name}`,
    )
    expect(functions().rollback).toEqual(watched)
    expect(lines).toContain('Not watched, as they are firing already: rollcall-prod-SlowCalls')
    await run({ file: { ...file, watchMinutes: 0 } })
    expect(functions().rollback).toEqual([])
  })

  it.each<[string, string, () => void]>([
    ['functions that cannot write', 'AccessDenied', () => (cloud.world.invoke = () => 'AccessDenied')],
    ['an API that fails', 'the API answers 500', () => (cloud.world.api = () => ({ status: 500, body: '{}' }))],
    [
      'a gateway without functions',
      'the API answers 401',
      () => (cloud.world.api = () => ({ status: 401, body: '{"message":"Unauthorized"}' })),
    ],
  ])('with %s goes back to the previous version, with its table', async (_what, says, breakIt) => {
    const former = /\/(\d+)-/.exec(functions().template.Resources.GetUser.Properties.Code.S3Key)?.[1]
    const used = own()
    restore('restored')
    breakIt()
    await expect(run({ table: 'restored', insteadOf: used })).rejects.toThrow(says)
    expect(commands).toEqual(['package', 'deploy', `rollback --timestamp ${former}`])
    expect(functions().parameters['TableName']).toBe(used)
  })

  it('behind an edge must not answer at the domain itself', async () => {
    const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/1'
    const behindEdge = {
      ...file,
      domainName: 'origin.example.org',
      certificateArn,
      defaultAddress: false,
      edge: true,
      apiAddress: 'https://api.example.org',
    }
    const change = ['everything']
    await expect(run({ file: behindEdge, change })).rejects.toThrow(
      'the API answers 401 to a call without a token and path',
    )
    cloud.world.api = () => ({ status: 403, body: '{"message":"Forbidden"}' })
    await run({ file: behindEdge, change })
    expect(lines).toContain('checked: the API does not answer at https://origin.example.org itself')
  })

  it('that needs a moment is waited for', async () => {
    let failures = 3
    cloud.world.invoke = () => (failures-- > 0 ? 'not yet' : undefined)
    await run()
    expect(lines.filter((line) => line.startsWith('not yet: '))).toHaveLength(3)
    expect(commands).toEqual(['package', 'deploy'])
  })

  it('stops at a stack that only a person can judge', async () => {
    functions().status = 'UPDATE_ROLLBACK_FAILED'
    expect(await refused()).toContain('rollcall-prod is UPDATE_ROLLBACK_FAILED')
  })
})

describe('a console', () => {
  const withConsole = {
    ...file,
    tokenIssuer: 'https://issuer.test/pool',
    console: true,
    consoleClientId: 'console',
    consoleOrigins: ['https://auth.test'],
  }
  const discovered = 'https://issuer.test/pool/.well-known/openid-configuration'
  const discovery = {
    issuer: 'https://issuer.test/pool',
    authorization_endpoint: 'https://auth.test/in',
    token_endpoint: 'https://auth.test/token',
    end_session_endpoint: 'https://auth.test/out',
    jwks_uri: 'https://elsewhere.test/keys',
  }
  const answering = (found: object) => {
    pages = {
      [discovered]: { status: 200, body: JSON.stringify(found) },
      '/console': { status: 200, body: '<script type="module">' },
      '/console/config.json': { status: 200, body: JSON.stringify({ issuer: withConsole.tokenIssuer }) },
    }
  }

  it('is compared with the issuer, and called at the end', async () => {
    answering(discovery)
    await run({ file: withConsole })
    expect(lines).toContain("checked: the console's parameters agree with https://issuer.test/pool")
    expect(lines).toContain(`checked: the console answers at ${cloud.url}/console`)
    expect(kept).toEqual([undefined])
  })

  it.each<[string, object, string]>([
    [
      'tokens are elsewhere',
      { token_endpoint: 'https://tokens.test/t' },
      "consoleOrigins lacks https://tokens.test, of the issuer's token_endpoint",
    ],
    ['sign-out is elsewhere', { end_session_endpoint: 'https://out.test/' }, 'consoleOrigins lacks https://out.test'],
    ['it has another name', { issuer: 'https://issuer.test' }, 'the issuer calls itself https://issuer.test'],
    ['it has no sign-in page', { authorization_endpoint: undefined }, 'no authorization code flow'],
    ['it has no code', { response_types_supported: ['token'] }, 'no response type code'],
    ['it has only plain PKCE', { code_challenge_methods_supported: ['plain'] }, 'PKCE with S256'],
  ])('is refused if nobody could sign in: %s', async (_what, also, says) => {
    answering({ ...discovery, ...also })
    expect(await refused({ file: withConsole })).toContain(says)
  })

  it.each<[string, { status: number; body: string } | undefined]>([
    ['does not answer', undefined],
    ['answers with a page', { status: 200, body: '<html>' }],
  ])('is not compared with an issuer that %s, and this is said', async (_what, answer) => {
    answering(discovery)
    if (answer) pages[discovered] = answer
    else delete pages[discovered]
    await run({ file: withConsole })
    expect(lines.join()).toContain("the console's parameters were not compared")
  })

  it('keeps the files of the deployed one, which are in its package', async () => {
    answering(discovery)
    await run({ file: withConsole })
    functions().template.Resources.ConsoleLambdaFunction = {
      Properties: { Code: { S3Key: 'serverless/1/console.zip' } },
    }
    functions().outputs['ServerlessDeploymentBucketName'] = 'packages'
    await run({ file: withConsole })
    expect(kept).toEqual([undefined, 'packages/serverless/1/console.zip'])
  })

  it('that does not answer after the deployment is rolled back', async () => {
    answering(discovery)
    await run({ file: withConsole })
    pages['/console'] = { status: 500, body: '' }
    await expect(run({ file: withConsole })).rejects.toThrow('the page answers 500')
    expect(commands.at(-1)).toMatch(/^rollback/)
  })

  it('is not there without the parameter: nothing is compared, built or called', async () => {
    await run()
    expect(kept).toEqual([])
    expect(lines.join()).not.toContain('console')
  })
})
