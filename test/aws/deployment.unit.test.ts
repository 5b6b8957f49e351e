import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { units } from '../../handlers/middleware/log.ts'
import { alarmResources, alarmsOf, alarmsThatRollBack, OPERATIONS } from '../../local/build/alarms.ts'
import { dashboardResource } from '../../local/build/dashboard.ts'
import Deployment, { DEPLOYED } from '../../local/build/deploymentPlugin.ts'
import { callByRole } from '../../local/build/gatewayRole.ts'
import { charts } from '../../local/build/metricCharts.ts'
import {
  type ParameterInput,
  parameterFaults,
  parameters,
  readStageFile,
  valuesOf,
} from '../../local/build/stageParameters.ts'
import { serviceFunctions } from '../../local/build/yamlFiles.ts'
import { markdownTable } from '../harness/markdownTable.ts'

// biome-ignore lint/suspicious/noExplicitAny: the parts of the Serverless command that the plugin uses
type Any = any

const good = {
  tokenIssuer: 'https://issuer.test',
  tokenAudience: 'rollcall',
  corsOrigins: ['http://localhost:3000', 'https://app.example.org'],
}
const functions = Object.keys(serviceFunctions())
const faults = (file: object = {}, given: Partial<ParameterInput> = {}): string[] =>
  parameterFaults({ stage: 'prod', file: { ...good, ...file }, options: [], ...given }, functions)

describe('parameters of a deployment', () => {
  test('are taken as they are documented', () => {
    expect(faults()).toEqual([])
    for (const [name, { example }] of Object.entries(parameters)) {
      const alone = faults({}, { options: [`${name}=${example}`] })
      expect(
        alone.filter((fault) => !/need|not both/.test(fault)),
        name,
      ).toEqual([])
    }
  })

  test('come from the file, and from options of the command before it', () => {
    const file = { ...good, requestsPerSecond: 5, tags: { team: 'people' } }
    const options = [
      'tokenAudience=a=b',
      'requestsPerSecond=7',
      'corsOrigins=https://a.test,https://b.test',
      'tracing=true',
    ]
    expect(valuesOf({ file, options })).toMatchObject({
      ...{ tokenIssuer: 'https://issuer.test', tokenAudience: 'a=b', tokenUserClaim: 'sub', requestsPerSecond: 7 },
      ...{ corsOrigins: ['https://a.test', 'https://b.test'], tags: { team: 'people' }, tracing: true },
    })
    expect(valuesOf({ file, options: ['tags=team=x,cost=1'] })['tags']).toEqual({ team: 'x', cost: '1' })
  })

  test('never come from the environment', () => {
    process.env['TOKEN_ISSUER'] = 'https://other.test'
    onTestFinished(() => {
      delete process.env['TOKEN_ISSUER']
    })
    expect(valuesOf({ file: {}, options: [] })['tokenIssuer']).toBe('')
    expect(readFileSync('serverless.yml', 'utf8')).not.toContain('${env:')
  })

  test('are those that serverless.yml uses', () => {
    const used = [...readFileSync('serverless.yml', 'utf8').matchAll(/\$\{parameter:(\w+)\}/g)].map(([, name]) => name)
    expect(used.length).toBeGreaterThan(10)
    expect(Object.keys(parameters)).toEqual(expect.arrayContaining(used))
  })

  // `npx vitest run -u` with this file writes the page again.
  test('are listed in docs/parameters.md', async () => {
    const isNone = (value: unknown) =>
      value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
    const shown = (value: unknown) => (value === undefined ? 'required' : isNone(value) ? 'none' : `\`${value}\``)
    const rows = Object.entries(parameters).map(([name, { default: value, what }]) => [
      `\`${name}\``,
      shown(value),
      what,
    ])
    const page = [
      '# Parameters of a stage',
      'They are in `stages/STAGE.yml`; [Operate](operate.md#parameters) explains how to change them. `local/build/stageParameters.ts` is the',
      'source of this page, and of the checks of `npm run deploy`.',
      '',
      markdownTable(['parameter', 'default', 'meaning'], ...rows),
      '',
    ]
    await expect(page.join('\n').replace('stage\nThey', 'stage\n\nThey')).toMatchFileSnapshot(
      '../../docs/parameters.md',
    )
  })

  test('have an example that can be deployed once it has the name of a stage', () => {
    const file = readStageFile('.', 'example') ?? {}
    expect(Object.keys(file).length).toBeGreaterThan(3)
    expect(parameterFaults({ stage: 'prod', file, options: [] }, functions)).toEqual([])
  })

  test.each<[string, unknown]>([
    ['tokenIssuer', ''],
    ['tokenIssuer', 'issuer.test'],
    ['tokenIssuer', 'http://issuer.test'],
    ['tokenIssuer', 7],
    ['tokenAudience', ' '],
    ['tokenUserClaim', ''],
    ['tokenJwksUri', 'http://issuer.test/keys'],
    ['userPoolArn', 'eu-central-1_aB3'],
    ['corsOrigins', 'https://app.example.org'],
    ['tokenAudience', []],
    ['tokenAudience', ['rollcall', 'with space']],
    ['consoleScopes', 'profile email'],
    ['consoleOrigins', ['https://auth.example.org/']],
    ['consoleOrigins', ['https://auth.example.org;script-src']],
    ['consoleOrigins', ['http://auth.example.org']],
    ['corsOrigins', ['https://app.example.org/']],
    ['corsOrigins', ['https://app.example.org', 'app.example.org']],
    ['requestsPerSecond', 0],
    ['requestsInBurst', 'many'],
    ['requestsInBurst', '2000'],
    ['eventRetentionDays', 0],
    ['importBucket', 's3://our-files'],
    ['importKeyArn', 'alias/key'],
    ['alarmEmail', 'ops'],
    ['alarmTopicArn', 'alarms'],
    ['tracing', 'yes'],
    ['domainName', 'https://api.example.org'],
    ['certificateArn', 'certificate'],
    ['backupVaultArn', 'vault'],
    ['reservedForWork', -1],
    ['tags', ['team']],
    ['tags', { team: 7 }],
  ])('%s cannot be %j: one message names it', (name, value) => {
    expect(faults({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} .*--param='${name}=`))])
  })

  test.each<[object, string]>([
    [{ requestsPerSecond: 3000 }, 'requestsInBurst is 2000, below requestsPerSecond'],
    [{ domainName: 'api.example.org' }, 'domainName and certificateArn need each other'],
    [{ console: true }, 'console and consoleClientId need each other'],
    [{ consoleClientId: 'console' }, 'console and consoleClientId need each other'],
    [{ console: true, consoleClientId: 'a', tokenAudience: ['b', 'a'] }, 'tokenAudience cannot have consoleClientId'],
    [{ defaultAddress: false }, 'Without defaultAddress'],
    [{ edge: true, apiAddress: 'https://api.example.org' }, 'edge needs a domainName and defaultAddress: false'],
    [
      {
        edge: true,
        defaultAddress: false,
        domainName: 'origin.example.org',
        certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
      },
      'edge needs apiAddress',
    ],
    [{ watchMinutes: 181 }, 'at most 180'],
    [{ tags: { STAGE: 'other' } }, 'tags cannot have STAGE'],
    [{ reservedForLogins: 2, provisionedForLogins: 3 }, 'cannot be more than reservedForLogins'],
    [{ alarmEmail: 'a@b.cd', alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:a' }, 'not both'],
    [{ importKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1' }, 'importKeyArn needs importBucket'],
  ])('%j do not go together', (file, says) => {
    expect(faults(file)).toEqual([expect.stringContaining(says)])
  })

  test('are named all at once, misspelt ones too', () => {
    const file = { tokenIssuer: '', requestsPerSecond: -1, alarmMail: 'a@b.cd' }
    const lines = faults(file, { stage: 'a_b', options: ['tokenisuer=https://issuer.test'] })
    expect(lines.map((fault) => fault.slice(0, 24))).toEqual([
      'The stage a_b must have ',
      'There is no parameter al',
      'There is no parameter to',
      'tokenIssuer is missing. ',
      'requestsPerSecond cannot',
    ])
  })

  test('a file that is not a map of parameters is refused in a line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stages-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'stages'))
    const read = (content: string) => {
      writeFileSync(join(folder, 'stages/prod.yml'), content)
      return readStageFile(folder, 'prod')
    }
    expect(readStageFile(folder, 'other')).toBeUndefined()
    expect(read('')).toEqual({})
    expect(() => read('a: [')).toThrow(/^stages\/prod\.yml is not YAML: .+$/)
    expect(() => read('- tokenIssuer')).toThrow('stages/prod.yml must have a line "name: value"')
  })

  test.each(['prod-table', 'prod-purge', 'a-prod-FinishWork', 'prod-createUser', 'local', 'example', 'a b'])(
    'a stage is not called %s',
    (stage) => expect(faults({}, { stage })).toEqual([expect.stringContaining(stage)]),
  )

  test('a stage is so short that every function can be named after it', () => {
    const longest = Math.max(...functions.map((name) => `rollcall--${name}`.length))
    const room = 64 - longest
    expect(room).toBeGreaterThan(15)
    expect(faults({}, { stage: 'x'.repeat(room) })).toEqual([])
    expect(faults({}, { stage: 'x'.repeat(room + 1) })).toEqual([expect.stringContaining(`${room} characters at most`)])
  })
})

describe('the plugin of the Serverless command', () => {
  const service = (): Any => ({
    provider: {
      ...{ stage: 'prod', environment: {}, stackTags: { service: 'rollcall' }, httpApi: {} },
      logs: { httpApi: { format: '{"status":"$context.status"}' } },
    },
    custom: { permissions: {} },
    functions: {},
    resources: { Resources: {}, Outputs: {} },
  })
  const serverless = (command: string): Any => ({
    ...{ service: service(), processedInput: { commands: [command] }, serviceDir: '/nowhere', classes: { Error } },
    getProvider: () => ({}),
    configSchemaHandler: { defineFunctionProperties: () => {} },
  })
  afterEach(() => {
    delete process.env[DEPLOYED]
  })

  test('gives a stack the table and the alarms of its deployment, and none while it has a bucket alone', () => {
    process.env[DEPLOYED] = JSON.stringify({ table: { TableName: 'restored' }, watched: ['arn:alarm'] })
    const running = serverless('deploy')
    const { hooks } = Deployment(running)
    hooks.initialize()
    // What the command does with the package, which was made when the table was not known.
    running.service.provider = service().provider
    const { provider } = running.service
    hooks['before:aws:deploy:deploy:createStack']()
    expect(provider.stackParameters).toEqual([])
    hooks['before:aws:deploy:deploy:updateStack']()
    expect(provider.stackParameters).toEqual([{ ParameterKey: 'TableName', ParameterValue: 'restored' }])
    expect(provider.rollbackConfiguration).toEqual({
      RollbackTriggers: [{ Arn: 'arn:alarm', Type: 'AWS::CloudWatch::Alarm' }],
      MonitoringTimeInMinutes: 10,
    })
  })

  test('refuses to deploy by itself: the deploy command compares, protects and checks', () => {
    for (const command of ['deploy', 'rollback'])
      expect(() => Deployment(serverless(command)).hooks.initialize()).toThrow('Use npm run deploy')
    expect(() => Deployment(serverless('package')).hooks.initialize()).not.toThrow()
  })

  test('leaves addresses and hashes of callers out of the log if told so', () => {
    const logsOf = (...param: string[]) => {
      const running = serverless('package')
      running.service.resources.Resources = { ActorLogKey: {} }
      Deployment(running, { param }).hooks.initialize()
      const { provider, resources } = running.service
      const { source_address } = JSON.parse(provider.logs.httpApi.format)
      return [source_address, 'ACTOR_LOG_KEY' in provider.environment, 'ActorLogKey' in resources.Resources]
    }
    expect(logsOf()).toEqual(['$context.identity.sourceIp', true, true])
    expect(logsOf('logSourceAddress=false', 'logActor=false')).toEqual([undefined, false, false])
  })
})

test('the gateway gets one role in place of a permission on each function; other permissions stay', () => {
  const permission = (Principal: string) => ({ Type: 'AWS::Lambda::Permission', Properties: { Principal } })
  const integration = (name: string) => ({
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: { IntegrationUri: { 'Fn::GetAtt': [name, 'Arn'] } },
  })
  const resources = {
    OnA: permission('apigateway.amazonaws.com'),
    OfSchedule: permission('events.amazonaws.com'),
    A: integration('FunctionA'),
    B: integration('FunctionB'),
  }
  callByRole(resources)
  expect(Object.keys(resources)).toEqual(['OfSchedule', 'A', 'B', 'GatewayRole'])
  expect(resources.A.Properties).toMatchObject({ CredentialsArn: { 'Fn::GetAtt': ['GatewayRole', 'Arn'] } })
  expect(resources).toHaveProperty('GatewayRole.Properties.Policies.0.PolicyDocument.Statement', [
    {
      Effect: 'Allow',
      Action: ['lambda:InvokeFunction'],
      Resource: [{ 'Fn::GetAtt': ['FunctionA', 'Arn'] }, { 'Fn::GetAtt': ['FunctionB', 'Arn'] }],
    },
  ])
})

describe('alarms', () => {
  const alarms = Object.entries(alarmsOf('prod', 1000))
  const defaults = valuesOf({ file: {}, options: [] })
  const targets = (resources: object): unknown[] =>
    Object.values(resources).flatMap(({ Properties }) => Properties.AlarmActions ?? [])

  test('and charts are of metrics that the service writes', () => {
    const own = alarms.flatMap(([, { metrics }]) =>
      Object.values(metrics).flatMap(({ namespace, name }) => (namespace === 'Rollcall' ? [name] : [])),
    )
    const shown = charts.flatMap(({ lines }) => lines.map(({ metric }) => metric))
    const written = [...Object.keys(units), 'Errors']
    expect(written).toEqual(expect.arrayContaining(own))
    expect(shown.toSorted()).toEqual([...written, 'Latency', 'Latency'].sort())
  })

  test('go to an address by a topic of the stack, to a topic that exists, or nowhere', () => {
    const count = alarms.length
    const mailed = alarmResources('prod', { ...defaults, alarmEmail: 'ops@example.org' })
    expect(mailed['AlarmTopic']?.Properties['Subscription']).toEqual([
      { Protocol: 'email', Endpoint: 'ops@example.org' },
    ])
    expect(targets(mailed)).toEqual(Array(count).fill({ Ref: 'AlarmTopic' }))
    const given = alarmResources('prod', { ...defaults, alarmTopicArn: 'arn' })
    expect(Object.keys(given).length).toBe(count)
    expect(targets(given)).toEqual(Array(count).fill('arn'))
    expect(targets(alarmResources('prod', defaults))).toEqual([])
  })

  test('ring where values are missing only if something must happen', () => {
    const missing = Object.entries(alarmResources('prod', defaults)).map(([name, { Properties }]) => [
      name,
      Properties['TreatMissingData'],
    ])
    expect(missing.filter(([, treated]) => treated === 'breaching')).toEqual([['PurgeMissingAlarm', 'breaching']])
  })

  test('are ratios where a count would mean nothing', () => {
    const ratios = alarms.flatMap(([name, { expression }]) => (expression?.includes('/') ? [name] : []))
    expect(ratios).toEqual([
      ...['ServerErrors', 'ServerErrorsHour', 'SlowCalls', 'DatabaseThrottled', 'TableErrors'],
      ...['ConcurrencyHigh', 'FunctionsThrottled'],
    ])
    const resources = alarmResources('prod', { ...defaults, accountConcurrency: 10 })
    expect(JSON.stringify(resources['ConcurrencyHighAlarm'])).toContain('100 * claimed / 10')
    const periods = (name: string) => alarms.find(([one]) => one === name)?.[1].minutes ?? 5
    expect(['ServerErrors', 'ServerErrorsHour', 'SlowCalls', 'SlowCallsHour'].map(periods)).toEqual([5, 60, 5, 60])
  })

  test('that roll back an update leave out what callers without a valid token bring about', () => {
    const leftOut = (name: string) => {
      const { metrics = {}, rollsBack } = alarms.find(([one]) => one === name)?.[1] ?? {}
      return [
        rollsBack,
        Object.values(metrics).flatMap(({ namespace, name }) => (namespace === 'Rollcall' ? name : [])),
      ]
    }
    expect(leftOut('ServerErrors')).toEqual([true, ['KeysUnavailable']])
    expect(leftOut('SlowCalls')).toEqual([true, ['SlowStrangers']])
  })

  test('name in their expression exactly the metrics that they look at', () => {
    for (const [name, { metrics, expression }] of alarms) {
      const ids = Object.keys(metrics)
      if (expression === undefined) expect(ids, name).toHaveLength(1)
      else if (!expression.includes('METRICS('))
        expect(new Set(expression.match(/\b[a-z]+\b/g)), name).toEqual(new Set(ids))
    }
  })

  test('that roll back an update are at most five, as CloudFormation takes no more', () => {
    expect(alarmsThatRollBack('prod').length).toBeLessThanOrEqual(5)
    expect(alarmsThatRollBack('prod')).toContain('rollcall-prod-ServerErrors')
  })

  test('watch every request that the table layer makes', () => {
    const source = ['dynamo', 'openStore'].map((name) => readFileSync(`domain/table/${name}.ts`, 'utf8')).join()
    const made = [...source.matchAll(/sendRequest\(table, '(\w+)'/g)].map(([, name]) => name)
    expect([...OPERATIONS].sort()).toEqual([...new Set(made)].sort())
  })
})

test('the dashboard shows every chart and every alarm', () => {
  const { Properties } = dashboardResource('prod')
  const { widgets } = JSON.parse(Properties.DashboardBody['Fn::Sub'])
  const [alarms, ...graphs] = widgets
  expect(alarms.properties.alarms).toContain('$' + '{PurgeMissingAlarm.Arn}')
  expect(alarms.properties.alarms.length).toBe(Object.keys(alarmsOf('prod', 1000)).length)
  const titles = graphs.map(({ properties }: { properties: { title: string } }) => properties.title)
  expect(titles).toEqual(expect.arrayContaining(charts.map(({ title, unit = 'in a minute' }) => `${title} (${unit})`)))
  const places = widgets.map(({ x, y }: { x: number; y: number }) => `${x} ${y}`)
  expect(new Set(places).size).toBe(widgets.length)
})
