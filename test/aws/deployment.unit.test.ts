import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { units } from '../../handlers/middleware/environment.ts'
import { alarmResources, alarmsOf, OPERATIONS } from '../../local/build/alarms.ts'
import { charts } from '../../local/build/charts.ts'
import { dashboardResource } from '../../local/build/dashboard.ts'
import Deployment from '../../local/build/deployment.ts'
import { callByRole } from '../../local/build/gatewayRole.ts'
import { faultsOf, type Given } from '../../local/build/parameters.ts'
import { serviceFunctions } from '../../local/build/serviceFile.ts'

// biome-ignore lint/suspicious/noExplicitAny: the parts of the Serverless command that the plugin uses
type Any = any

const good = {
  tokenIssuer: 'https://issuer.test',
  tokenAudience: 'rollcall',
  tokenUserClaim: 'sub',
  tokenJwksUri: '',
  userPoolArn: '',
  userPoolAttribute: '',
  corsOrigins: ['http://localhost:3000', 'https://app.example.org'],
  requestsPerSecond: 1000,
  requestsInBurst: '2000',
  eventRetentionDays: '400',
  importBucket: '',
  alarmEmail: '',
  alarmTopicArn: '',
  tableName: 'table',
  tableArn: 'arn',
  tableStreamArn: 'arn',
}
const faults = (parameters: object = {}, given: Partial<Given> = {}): string[] =>
  faultsOf({
    stage: 'prod',
    parameters: { ...good, ...parameters },
    functions: Object.keys(serviceFunctions()),
    options: [],
    isTableKnown: true,
    ...given,
  })

describe('parameters of a deployment', () => {
  test('are taken as they are documented', () => {
    expect(faults()).toEqual([])
    const pool = 'arn:aws:cognito-idp:eu-central-1:123456789012:userpool/eu-central-1_aB3'
    expect(faults({ userPoolArn: pool, importBucket: 'our-files', corsOrigins: 'https://app.example.org' })).toEqual([])
    expect(faults({ tableName: '' }, { isTableKnown: false, options: ['tokenAudience=a=b'] })).toEqual([])
  })

  test('are those of serverless.yml', () => {
    const { custom } = parse(readFileSync('serverless.yml', 'utf8'), { logLevel: 'silent' })
    expect(Object.keys(custom.parameters).sort()).toEqual(Object.keys(good).sort())
  })

  test.each<[string, unknown]>([
    ['tokenIssuer', ''],
    ['tokenIssuer', 'issuer.test'],
    ['tokenIssuer', 'http://issuer.test'],
    ['tokenAudience', ' '],
    ['tokenUserClaim', ''],
    ['tokenJwksUri', 'http://issuer.test/keys'],
    ['userPoolArn', 'eu-central-1_aB3'],
    ['corsOrigins', 'https://app.example.org/'],
    ['corsOrigins', ['https://app.example.org', 'app.example.org']],
    ['corsOrigins', []],
    ['requestsPerSecond', 0],
    ['requestsInBurst', 'many'],
    ['eventRetentionDays', '0'],
    ['importBucket', 's3://our-files'],
    ['alarmEmail', 'ops'],
    ['alarmTopicArn', 'alarms'],
  ])('%s cannot be %j: one message names it', (name, value) => {
    expect(faults({ [name]: value })).toEqual([expect.stringContaining(`--param='${name}=`)])
  })

  test('are told all at once, misspelt ones too', () => {
    const wrong = { tokenIssuer: '', requestsPerSecond: -1, tableStreamArn: '' }
    const told = faults(wrong, { stage: 'a_b', options: ['tokenisuer=https://issuer.test'] })
    expect(told.map((fault) => fault.slice(0, 24))).toEqual([
      'a stage of letters, digi',
      'whose tokens it accepts:',
      "the stage's limit, a who",
      'its table: npm run deplo',
      'no parameter tokenisuer:',
    ])
  })

  test('a stage is so short that every function can be named after it', () => {
    const longest = Math.max(...Object.keys(serviceFunctions()).map((name) => `rollcall--${name}`.length))
    const room = 64 - longest
    expect(room).toBeGreaterThan(15)
    expect(faults({}, { stage: 'x'.repeat(room) })).toEqual([])
    expect(faults({}, { stage: 'x'.repeat(room + 1) })).toEqual([expect.stringContaining(`${room} characters at most`)])
  })
})

test('a stack gets the table of its deployment, not what the package says of it, and none while it has a bucket alone', () => {
  const service = (tableName: string): Any => ({
    provider: { stage: 'prod', stackParameters: [{ ParameterKey: 'TableName', ParameterValue: tableName }] },
    custom: { permissions: {}, parameters: good },
    functions: {},
    resources: { Resources: {} },
  })
  const serverless: Any = {
    service: service('restored'),
    processedInput: { commands: ['deploy'], options: {} },
    getProvider: () => ({}),
    configSchemaHandler: { defineFunctionProperties: () => {} },
    classes: { Error },
  }
  const { hooks } = Deployment(serverless)
  hooks.initialize()
  // What the command does with the package.
  Object.assign(serverless.service, service(''))
  const parameters = () => serverless.service.provider.stackParameters
  hooks['before:aws:deploy:deploy:createStack']()
  expect(parameters()).toEqual([])
  hooks['before:aws:deploy:deploy:updateStack']()
  expect(parameters()).toEqual([{ ParameterKey: 'TableName', ParameterValue: 'restored' }])
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
  const alarms = Object.entries(alarmsOf('prod'))
  const nobody = { email: '', topicArn: '' }
  const told = (resources: object): unknown[] =>
    Object.values(resources).flatMap(({ Properties }) => Properties.AlarmActions ?? [])

  test('and charts are of metrics that the service writes', () => {
    const own = alarms.flatMap(([, { metric }]) => (metric.namespace === 'Rollcall' ? [metric.name] : []))
    const shown = charts.flatMap(({ lines }) => lines.map(({ metric }) => metric))
    const written = [...Object.keys(units), 'Errors']
    expect(written).toEqual(expect.arrayContaining(own))
    expect(shown.toSorted()).toEqual([...written, 'Latency', 'Latency'].sort())
  })

  test('tell an address by a topic of the stack, or a topic that is there, or nobody', () => {
    const count = alarms.length
    const mailed = alarmResources('prod', { ...nobody, email: 'ops@example.org' })
    expect(mailed['AlarmTopic']?.Properties['Subscription']).toEqual([
      { Protocol: 'email', Endpoint: 'ops@example.org' },
    ])
    expect(told(mailed)).toEqual(Array(count).fill({ Ref: 'AlarmTopic' }))
    const given = alarmResources('prod', { email: 'ops@example.org', topicArn: 'arn' })
    expect(Object.keys(given).length).toBe(count)
    expect(told(given)).toEqual(Array(count).fill('arn'))
    expect(told(alarmResources('prod', nobody))).toEqual([])
  })

  test('ring where values are missing only if something must happen', () => {
    const missing = Object.entries(alarmResources('prod', nobody)).map(([name, { Properties }]) => [
      name,
      Properties['TreatMissingData'],
    ])
    expect(missing.filter(([, treated]) => treated === 'breaching')).toEqual([['PurgeMissingAlarm', 'breaching']])
  })

  test('watch every request that the table layer makes', () => {
    const source = readFileSync('domain/table/dynamo.ts', 'utf8')
    const made = [...source.matchAll(/sendRequest\(table, '(\w+)'/g)].map(([, name]) => name)
    expect([...OPERATIONS].sort()).toEqual([...new Set(made)].sort())
  })
})

test('the dashboard shows every chart and every alarm', () => {
  const { Properties } = dashboardResource('prod')
  const { widgets } = JSON.parse(Properties.DashboardBody['Fn::Sub'])
  const [alarms, ...graphs] = widgets
  expect(alarms.properties.alarms).toContain('$' + '{PurgeMissingAlarm.Arn}')
  expect(alarms.properties.alarms.length).toBe(Object.keys(alarmsOf('prod')).length)
  const titles = graphs.map(({ properties }: { properties: { title: string } }) => properties.title)
  expect(titles).toEqual(expect.arrayContaining(charts.map(({ title, unit = 'in a minute' }) => `${title} (${unit})`)))
  const places = widgets.map(({ x, y }: { x: number; y: number }) => `${x} ${y}`)
  expect(new Set(places).size).toBe(widgets.length)
})
