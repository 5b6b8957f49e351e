import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, test } from 'vitest'
import { MOST_AT_ONCE } from '../../domain/webhooks/health.ts'
import { MOST_WEBHOOKS } from '../../domain/webhooks/webhook.ts'
import { bundle } from '../../local/build/bundle.ts'
import { onFiles } from '../../local/build/roleStatements.ts'
import {
  permissionOf,
  routesOf,
  scimRoutesOf,
  serviceFunctions,
  tableProperties,
  tableTemplate,
} from '../../local/build/yamlFiles.ts'
import { contracts } from '../../schemas/contracts.ts'
import { packaged } from '../harness/packaged.ts'
import { arnOf, isAllowedBy, policyOf } from './iam.ts'
import { certificate, key, type Packaged, userPool } from './packageService.ts'
import { areRulesInstalled, brokenRules } from './templateRules.ts'
import { schemaFaults, unknownMetrics } from './templateSchema.ts'

// biome-ignore lint/suspicious/noExplicitAny: a template is data of any shape
type Any = any

const root = new URL('../..', import.meta.url).pathname
const notEndpoints = [
  'checkDeployment',
  'console',
  'deliver',
  'finishWork',
  'importDirectory',
  'importFile',
  'purge',
  'refuseInactiveUser',
  'unknownRoute',
]
/** They answer many paths each, and have no contracts. */
const scim = ['scimDiscovery', 'scimGroups', 'scimUsers']
let made: Packaged
let template: Any

beforeAll(async () => {
  made = await packaged()
  template = JSON.parse(readFileSync(join(made.folder, 'cloudformation-template-update-stack.json'), 'utf8'))
})

/** The context of a request about a key or a secret of the stage. */
const ofStage = { 'aws:ResourceTag/STAGE': 'dev' }
const anyAccount = `arn:\${AWS::Partition}:iam::\${AWS::AccountId}`
const tableArn = arnOf('dynamodb', 'table/rollcall-dev-table-Table-A1')
const planFilesArn = 'arn:aws:s3:::rollcall-dev-planfiles-a1'

/** The ARN of what a statement of a role names, in the stage `dev`. */
function resourceOf(resource: Any): string {
  if (resource.Ref === 'TableArn') return tableArn
  if (resource.Ref === 'TableStreamArn') return `${tableArn}/stream/1`
  if (resource['Fn::Sub'])
    return resource['Fn::Sub'].replace(/^\$\{TableArn\}/, tableArn).replace(/^\$\{PlanFiles\.Arn\}/, planFilesArn)
  if (resource['Fn::Join']) return resource['Fn::Join'][1].map((part: Any) => (part.Ref ? 'aws' : part)).join('')
  if (typeof resource === 'string') return resource
  const name: string = resource['Fn::GetAtt'][0]
  const { Type, Properties } = template.Resources[name]
  if (Type === 'AWS::Lambda::Alias') return arnOf('lambda', `function:rollcall-dev-${name}`)
  const made = madeAs[Type]?.(`rollcall-dev-${name}-A1`, Properties)
  if (!made) throw new Error(`A role names the ${Type} ${name}`)
  return Type === 'AWS::Logs::LogGroup' ? `${made.resource}:log-stream:1` : made.resource
}

/** Which request makes a resource that CloudFormation calls `made`, unless it has a name. */
const madeAs: Record<string, (made: string, properties: Any) => { action: string; resource: string }> = {
  'AWS::Lambda::Function': (_made, { FunctionName }) => ({
    ...{ action: 'lambda:CreateFunction', resource: arnOf('lambda', `function:${FunctionName}`) },
  }),
  'AWS::Lambda::EventSourceMapping': () => ({ action: 'lambda:CreateEventSourceMapping', resource: '*' }),
  'AWS::IAM::Role': (made) => ({
    ...{ action: 'iam:CreateRole', resource: arnOf('iam', `role/${made}`, ['', '123456789012']) },
  }),
  'AWS::Logs::LogGroup': (_made, { LogGroupName }) => ({
    ...{ action: 'logs:CreateLogGroup', resource: arnOf('logs', `log-group:${LogGroupName}`) },
  }),
  'AWS::Events::Rule': (made) => ({ action: 'events:PutRule', resource: arnOf('events', `rule/${made}`) }),
  'AWS::SQS::Queue': (made) => ({ action: 'sqs:CreateQueue', resource: arnOf('sqs', made) }),
  'AWS::SNS::Topic': (made) => ({ action: 'sns:CreateTopic', resource: arnOf('sns', made) }),
  'AWS::S3::Bucket': (made) => ({ action: 's3:CreateBucket', resource: `arn:aws:s3:::${made.toLowerCase()}` }),
  'AWS::CloudWatch::Alarm': (_made, { AlarmName }) => ({
    ...{ action: 'cloudwatch:PutMetricAlarm', resource: arnOf('cloudwatch', `alarm:${AlarmName}`) },
  }),
  'AWS::CloudWatch::Dashboard': (_made, { DashboardName }) => ({
    action: 'cloudwatch:PutDashboard',
    resource: arnOf('cloudwatch', `dashboard/${DashboardName}`, ['', '123456789012']),
  }),
  'AWS::KMS::Key': () => ({ action: 'kms:TagResource', resource: arnOf('kms', 'key/1') }),
  'AWS::SecretsManager::Secret': (made) => ({
    action: 'secretsmanager:CreateSecret',
    resource: arnOf('secretsmanager', `secret:${made.replace('rollcall-dev-', '')}`),
  }),
}

const ofType = (type: string): [string, Any][] =>
  Object.entries<Any>(template.Resources).filter(([, resource]) => resource.Type === type)
const only = (type: string): Any => {
  const found = ofType(type)
  expect(found.length, type).toBe(1)
  return found[0]?.[1].Properties
}
/** How the table's stream calls a function. */
const mappingOf = (name: string): Any =>
  ofType('AWS::Lambda::EventSourceMapping').find(([id]) => id.startsWith(name))?.[1].Properties
const logicalName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
const lambda = (name: string): Any => template.Resources[`${logicalName(name)}LambdaFunction`].Properties
const names = () => Object.keys(serviceFunctions()).sort()
/** Whether the HTTP API calls a function. */
const isEndpoint = (name: string) => ['console', 'unknownRoute'].includes(name) || !notEndpoints.includes(name)
/** The roles by which the gateway calls. */
const gatewayRoles = () => Object.keys(template.Resources).filter((name) => /^GatewayRole\d*$/.test(name))
const roleOf = (name: string): string =>
  isEndpoint(name) ? `Endpoints${logicalName(permissionOf(name))}Role` : `${logicalName(name)}Role`

test('packaging compiles what bundles need, and has nothing to complain about', () => {
  expect(existsSync(join(made.clone, 'schemas/compiled/createUser.js'))).toBe(true)
  expect(made.output).not.toMatch(/warn|deprecat/i)
  expect(made.output).toMatch(/Service packaged/)
})

describe('the templates', () => {
  test('are what CloudFormation takes, resource by resource, and name metrics that AWS has', () => {
    expect(schemaFaults(template)).toEqual([])
    expect(schemaFaults(tableTemplate())).toEqual([])
    // In Lambda's documentation ("Monitoring concurrency"), but not in the list that we hold names against.
    const documented = new Set(['AWS/Lambda ClaimedAccountConcurrency'])
    const unknown = unknownMetrics(JSON.stringify(template.Resources).replaceAll('\\"', '"'))
    expect(unknown.filter((metric) => !documented.has(metric))).toEqual([])
  })

  test('which would be seen if they were not', () => {
    const broken = structuredClone(template)
    const { PurgeLambdaFunction, Dashboard } = broken.Resources
    Object.assign(PurgeLambdaFunction.Properties, { Timeout: 'long', Envronment: {} })
    PurgeLambdaFunction.Properties.Role['Fn::GetAtt'][0] = 'NoRole'
    PurgeLambdaFunction.DependsOn = ['Nothing']
    delete PurgeLambdaFunction.Properties.Code
    Dashboard.Type = 'AWS::CloudWatch::Board'
    expect(schemaFaults(broken).sort()).toEqual([
      'Dashboard: no type AWS::CloudWatch::Board',
      'PurgeLambdaFunction depends on Nothing, which is not there',
      'PurgeLambdaFunction lacks Code',
      'PurgeLambdaFunction.Envronment: no such property',
      'PurgeLambdaFunction.Role: no NoRole.Arn',
      'PurgeLambdaFunction.Timeout: "long" is no integer',
    ])
    expect(unknownMetrics('["AWS/SQS","Age"]')).toEqual(['AWS/SQS Age'])
  })

  if (!areRulesInstalled) console.log('cdk-nag is left out: node local/prepare.mjs test/checks installs it')
  test.skipIf(!areRulesInstalled)('keep the rules of cdk-nag, or say why not', () => {
    const exceptions = [
      {
        rule: 'AwsSolutions-APIG4',
        on: /^HttpApiRoute/,
        why: 'Each function verifies the token itself and then reads the rights of the caller; the gateway could do the first half.',
      },
      {
        rule: 'AwsSolutions-S1',
        on: /^ServerlessDeploymentBucket$/,
        why: 'It holds packages for CloudFormation. An access log would need another bucket, and CloudTrail can have it.',
      },
      {
        rule: 'AwsSolutions-S1',
        on: /^PlanFiles$/,
        why: 'Files are there for minutes, and the calls that store them are logged.',
      },
      { rule: 'AwsSolutions-SQS3', on: /^FailedEvents$/, why: 'It is itself the queue for what failed.' },
      { rule: 'Serverless-SQSRedrivePolicy', on: /^FailedEvents$/, why: 'It is itself the queue for what failed.' },
      {
        rule: 'Serverless-LambdaDLQ',
        on: /LambdaFunction$/,
        why: 'Endpoints and the trigger are called by who waits for the answer. The others have a destination for failures, which tells more.',
      },
      ...['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'].map((rule) => ({
        rule,
        on: /Role$/,
        why: 'X-Ray can only be allowed on everything; without the parameter `tracing` no role has this.',
      })),
      {
        rule: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::our-files/*]',
        on: /^ImportFileRole$/,
        why: 'The operator names the bucket, and the event of an import the file in it.',
      },
      ...[
        { rule: 'AwsSolutions-IAM5[Resource::<PlanFiles.Arn>/*/parts/*]', on: /^EndpointsPlan(?:Parts|File)Role$/ },
        { rule: 'AwsSolutions-IAM5[Resource::<PlanFiles.Arn>/*]', on: /^(?:FinishWork|Purge)Role$/ },
      ].map((one) => ({ ...one, why: 'The files are below the id of their plan, which a call brings.' })),
      {
        rule: 'AwsSolutions-SMG4',
        on: /^ActorLogKey$/,
        why: 'A new key would tear the log lines of a caller apart; docs/operate.md says how to change it.',
      },
      {
        rule: 'AwsSolutions-SMG4',
        on: /^OriginPath$/,
        why: 'CloudFront has the path, too: both change by hand, as docs/operate.md says.',
      },
    ]
    expect(brokenRules(template, exceptions)).toEqual({ broken: [], idle: [] })
    const ofBackups = [
      {
        rule: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
        on: /^BackupRole$/,
        why: 'What AWS Backup may do is its own policy, which AWS keeps up with what it does.',
      },
    ]
    expect(brokenRules(tableTemplate(), ofBackups)).toEqual({ broken: [], idle: [] })
  })
})

describe('functions', () => {
  test('one for each contract and each handler file, all of one name', () => {
    expect(names()).toEqual([...Object.keys(contracts), ...scim, ...notEndpoints].sort())
    const folders = readdirSync(`${root}/handlers`).filter((name) => name !== 'middleware')
    const files = folders.flatMap((name) => readdirSync(`${root}/handlers/${name}`).map((file) => `${name}/${file}`))
    const handlers = Object.values(serviceFunctions()).map(({ handler }) => handler)
    expect(handlers.sort()).toEqual(files.map((file) => `handlers/${file.replace(/\.ts$/, '.handler')}`).sort())
    for (const name of names()) expect(lambda(name).Handler).toMatch(new RegExp(`/${name}\\.handler$`))
    expect(ofType('AWS::Lambda::Function').length).toBe(names().length)
  })

  test('run on arm64 and Node 24, each with its memory and its time', () => {
    for (const name of names()) {
      expect(lambda(name)).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] })
      expect(lambda(name).Environment.Variables).toMatchObject({
        TABLE_NAME: { Ref: 'TableName' },
        TOKEN_USER_CLAIM: 'sub',
      })
    }
    // An HTTP API waits 30 seconds, Cognito 5.
    for (const name of Object.keys(contracts)) expect(lambda(name)).toMatchObject({ Timeout: 29, MemorySize: 1024 })
    expect(lambda('refuseInactiveUser').Timeout).toBe(5)
    expect(lambda('purge').Timeout).toBe(60)
    expect(lambda('finishWork').Timeout).toBe(15)
    for (const name of ['importDirectory', 'importFile'])
      expect(lambda(name)).toMatchObject({ Timeout: 900, MemorySize: 2048 })
  })

  test('log for 30 days as JSON: all endpoints into one group, the others each into their own', () => {
    for (const name of names()) {
      const own = template.Resources[`${logicalName(name)}LogGroup`]
      const { LogGroupName, RetentionInDays } = (isEndpoint(name) ? template.Resources.EndpointsLogGroup : own)
        .Properties
      expect([own === undefined, RetentionInDays]).toEqual([isEndpoint(name), 30])
      expect(lambda(name).LoggingConfig.LogFormat).toBe('JSON')
      expect(LogGroupName).toBe(
        isEndpoint(name) ? lambda(name).LoggingConfig.LogGroup : `/aws/lambda/rollcall-dev-${name}`,
      )
    }
  })

  test('have at most 470 resources: CloudFormation takes 500, and more endpoints will come', () => {
    expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(470)
  })

  test('have no versions: a version and an alias for each would be 160 resources more; logins have them if instances are provisioned', () => {
    expect(ofType('AWS::Lambda::Version').length).toBe(1)
    const { Properties } = template.Resources.RefuseInactiveUserProvConcLambdaAlias
    expect(Properties).toMatchObject({
      FunctionName: { Ref: 'RefuseInactiveUserLambdaFunction' },
      ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 },
    })
    expect(template.Resources.UserPoolPermission.Properties.FunctionName).toEqual({
      Ref: 'RefuseInactiveUserProvConcLambdaAlias',
    })
  })

  test('that must go on when calls use all concurrency are separate functions', () => {
    const reserved = names().map((name) => [name, lambda(name).ReservedConcurrentExecutions])
    expect(Object.fromEntries(reserved.filter(([, count]) => count !== undefined))).toEqual({
      ...{ deliver: 3, finishWork: 10, purge: 1, refuseInactiveUser: 20 },
    })
  })

  test('send traces, and have the key that hashes callers, from a secret of the stack', () => {
    for (const name of names()) {
      expect(lambda(name).TracingConfig).toEqual({ Mode: 'Active' })
      expect(lambda(name).Environment.Variables.ACTOR_LOG_KEY['Fn::Sub']).toMatch(/secretsmanager:\$\{ActorLogKey\}/)
    }
    const { GenerateSecretString } = template.Resources.ActorLogKey.Properties
    expect(GenerateSecretString.PasswordLength).toBeGreaterThanOrEqual(32)
  })

  test('the worker hears of what calls hand over, never twice, from many lanes', () => {
    const { FilterCriteria, ...mapping } = mappingOf('FinishWork')
    expect(mapping).toMatchObject({
      EventSourceArn: { Ref: 'TableStreamArn' },
      FunctionName: { 'Fn::GetAtt': ['FinishWorkLambdaFunction', 'Arn'] },
      StartingPosition: 'LATEST',
      BatchSize: 10,
      ParallelizationFactor: 10,
      MaximumRetryAttempts: 0,
      MaximumRecordAgeInSeconds: 60,
      Enabled: true,
    })
    expect(FilterCriteria.Filters.map(({ Pattern }: Any) => JSON.parse(Pattern))).toEqual([
      { dynamodb: { Keys: { pk: { S: ['WORK'] } }, NewImage: { taker: { S: ['STREAM'] } } } },
    ])
  })

  test('the function of webhooks hears of new entries of the outbox, and of nothing else', () => {
    const { FilterCriteria, ...mapping } = mappingOf('Deliver')
    expect(mapping).toMatchObject({ StartingPosition: 'LATEST', MaximumRetryAttempts: 0, Enabled: true })
    expect(FilterCriteria.Filters.map(({ Pattern }: Any) => JSON.parse(Pattern))).toEqual([
      { dynamodb: { Keys: { pk: { S: [{ prefix: 'OUTBOX#' }] } }, NewImage: { wakes: { S: ['deliver'] } } } },
    ])
    expect(ofType('AWS::Lambda::EventSourceMapping')).toHaveLength(2)
  })

  test('the names of all attempts at a time can be looked up in parallel: a slow name server holds up no other webhook', () => {
    const { UV_THREADPOOL_SIZE } = lambda('deliver').Environment.Variables
    expect(Number(UV_THREADPOOL_SIZE)).toBeGreaterThan(MOST_WEBHOOKS * MOST_AT_ONCE)
  })

  test('deliveries, the purge and what is left of large imports run every minute, and nothing else runs by itself', () => {
    const rules = ofType('AWS::Events::Rule').map(([, { Properties }]) => Properties)
    for (const rule of rules) expect(rule).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' })
    expect(rules.flatMap(({ Targets }) => Targets.map((target: Any) => target.Arn['Fn::GetAtt'][0])).sort()).toEqual([
      'DeliverLambdaFunction',
      'ImportFileLambdaFunction',
      'PurgeLambdaFunction',
    ])
  })

  test('only the schedule and the user pool may call their functions; the gateway has a role', () => {
    const permissions = ofType('AWS::Lambda::Permission').map(([, { Properties }]) => [
      Properties.FunctionName['Fn::GetAtt']?.[0] ?? Properties.FunctionName.Ref,
      Properties.Principal,
      Properties.SourceArn['Fn::GetAtt']?.[0] ?? Properties.SourceArn,
    ])
    expect(permissions.sort()).toEqual([
      ['DeliverLambdaFunction', 'events.amazonaws.com', 'DeliverEventsRuleSchedule1'],
      ['ImportFileLambdaFunction', 'events.amazonaws.com', 'ImportFileEventsRuleSchedule1'],
      ['PurgeLambdaFunction', 'events.amazonaws.com', 'PurgeEventsRuleSchedule1'],
      ['RefuseInactiveUserProvConcLambdaAlias', 'cognito-idp.amazonaws.com', userPool],
    ])
  })

  test('an event is given up after a minute, is not tried again, and goes to a queue', () => {
    const Destination = { 'Fn::GetAtt': ['FailedEvents', 'Arn'] }
    const configurations = ofType('AWS::Lambda::EventInvokeConfig').map(([, { Properties }]) => Properties)
    expect(configurations.length).toBe(4)
    for (const configuration of configurations)
      expect(configuration).toMatchObject({
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: 60,
        DestinationConfig: { OnFailure: { Destination } },
      })
    for (const [, { Properties }] of ofType('AWS::Lambda::EventSourceMapping'))
      expect(Properties.DestinationConfig).toEqual({ OnFailure: { Destination } })
    for (const [, { Properties }] of ofType('AWS::Events::Rule'))
      expect(Properties.Targets).toMatchObject([
        { RetryPolicy: { MaximumEventAgeInSeconds: 60 }, DeadLetterConfig: { Arn: Destination } },
      ])
    const [{ Principal, Condition }] = only('AWS::SQS::QueuePolicy').PolicyDocument.Statement
    expect(Principal).toEqual({ Service: 'events.amazonaws.com' })
    expect(Condition.ArnEquals['aws:SourceArn'].map((arn: Any) => arn['Fn::GetAtt'][0])).toEqual(
      ofType('AWS::Events::Rule').map(([name]) => name),
    )
  })
})

describe('the console', () => {
  const roleStatements = (): Any[] =>
    template.Resources[roleOf('console')].Properties.Policies.flatMap((policy: Any) => policy.PolicyDocument.Statement)

  test('may write lines into the log, and nothing else: it has no right on the table', () => {
    const actions = roleStatements().flatMap(({ Action }) => Action)
    expect(actions.filter((action) => !action.startsWith('xray:'))).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ])
    expect(JSON.stringify(roleStatements())).not.toMatch(/dynamodb|TableArn|secretsmanager|kms/)
  })

  test('has its settings in the environment, lists as texts', () => {
    expect(lambda('console').Environment.Variables).toMatchObject({
      CONSOLE_CLIENT_ID: 'console',
      CONSOLE_SCOPES: 'openid offline_access',
      CONSOLE_AUDIENCE: 'rollcall',
      CONSOLE_ORIGINS: 'https://auth.example.org https://login.example.org',
      TOKEN_AUDIENCE: 'rollcall tool',
    })
    expect(lambda('unknownRoute').Environment.Variables.CONSOLE_CLIENT_ID).toBe('console')
  })

  test('has its files in its zip, compressed and without sources, and no other function has them', () => {
    const files = Object.keys(unzipSync(readFileSync(join(made.folder, 'console.zip')))).sort()
    const page = readFileSync(join(made.clone, 'console/dist/index.html'), 'utf8')
    const named = [...page.matchAll(/"\/console\/([^"]+)"/g)].map(([, name]) => `console/dist/${name}`)
    expect(named.length).toBeGreaterThan(1)
    for (const name of named) expect(files).toEqual(expect.arrayContaining([name, `${name}.br`, `${name}.gz`]))
    expect(files).toContain('console/dist/index.html')
    expect(files.filter((name) => name.includes('.map'))).toEqual([])
    expect(Object.keys(unzipSync(readFileSync(join(made.folder, 'getUser.zip'))))).toHaveLength(1)
  })
})

describe('HTTP API', () => {
  test('has the routes of serverless.yml and answers the rest itself', () => {
    const routes = ofType('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => [
      Properties.RouteKey,
      Properties.Target['Fn::Join'][1][1].Ref.replace('HttpApiIntegration', ''),
    ])
    const wanted = routesOf(serviceFunctions()).map(({ name, method, path }) => [
      `${method} ${path}`,
      logicalName(name),
    ])
    const ofScim = scimRoutesOf(serviceFunctions()).map(({ name, path }) => [`ANY ${path}`, logicalName(name)])
    // HTTP APIs do not answer HEAD by the route of GET.
    const ofConsole = ['GET', 'HEAD'].flatMap((method) =>
      ['', '/{proxy+}'].map((path) => [`${method} /console${path}`, 'Console']),
    )
    expect(routes.sort()).toEqual([...wanted, ...ofScim, ...ofConsole, ['$default', 'UnknownRoute']].sort())
    expect(wanted.length).toBe(Object.keys(contracts).length)
    for (const [, { Properties }] of ofType('AWS::ApiGatewayV2::Integration'))
      expect(Properties).toMatchObject({
        PayloadFormatVersion: '2.0',
        CredentialsArn: { 'Fn::GetAtt': [expect.stringMatching(/^GatewayRole/), 'Arn'] },
      })
  })

  test('calls by roles that may invoke the endpoints and nothing else', () => {
    const roles = gatewayRoles().map((name) => template.Resources[name].Properties)
    const invoked = roles.flatMap(({ AssumeRolePolicyDocument, Policies }) => {
      expect(AssumeRolePolicyDocument.Statement).toMatchObject([{ Principal: { Service: 'apigateway.amazonaws.com' } }])
      const [{ Action, Resource }, ...others] = Policies.flatMap(({ PolicyDocument }: Any) => PolicyDocument.Statement)
      expect([Action, others]).toEqual([['lambda:InvokeFunction'], []])
      // IAM takes 10,240 characters of policy in a role. A name has up to 64.
      const arn = `"arn:aws:lambda:ap-southeast-1:123456789012:function:${'x'.repeat(64)}",`
      expect(arn.length * Resource.length + 300).toBeLessThan(10_240)
      return Resource.map((one: Any) => one['Fn::GetAtt'][0])
    })
    const endpoints = names().filter(isEndpoint)
    expect(invoked.sort()).toEqual(endpoints.map((name) => `${logicalName(name)}LambdaFunction`).sort())
    for (const [, { Properties }] of ofType('AWS::ApiGatewayV2::Integration')) {
      const [role] = Properties.CredentialsArn['Fn::GetAtt']
      const [{ Resource }] = template.Resources[role].Properties.Policies[0].PolicyDocument.Statement
      expect(Resource).toContainEqual(Properties.IntegrationUri)
    }
  })

  test('has an access log without paths, queries and callers, as those may be names; their address is there', () => {
    const { Format, DestinationArn } = only('AWS::ApiGatewayV2::Stage').AccessLogSettings
    expect(template.Resources[DestinationArn['Fn::GetAtt'][0]].Properties.RetentionInDays).toBe(30)
    expect(JSON.parse(Format)).toMatchObject({
      ...{ gateway_request_id: '$context.requestId', status: '$context.status' },
      // The id of the call of the function: its line has it, too.
      ...{ invocation_id: '$context.awsEndpointRequestId', source_address: '$context.identity.sourceIp' },
    })
    expect(Format.replace('identity.sourceIp', '')).not.toMatch(/path|identity|authorizer|userAgent/i)
  })

  test('answers under a secret path of the domain of the operator, and nowhere else if told so', () => {
    expect(only('AWS::ApiGatewayV2::Api').DisableExecuteApiEndpoint).toBe(true)
    expect(only('AWS::ApiGatewayV2::DomainName')).toMatchObject({
      DomainName: 'api.example.org',
      DomainNameConfigurations: [{ CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' }],
    })
    expect(only('AWS::ApiGatewayV2::ApiMapping')).toEqual({
      ...{ ApiId: { Ref: 'HttpApi' }, DomainName: { Ref: 'ApiDomain' }, Stage: '$default' },
      ApiMappingKey: { 'Fn::Sub': expect.stringMatching(/secretsmanager:\$\{OriginPath\}/) },
    })
    expect(template.Outputs.DomainTarget.Value).toEqual({ 'Fn::GetAtt': ['ApiDomain', 'RegionalDomainName'] })
  })

  test('holds callers to a rate and to known origins', () => {
    const { ThrottlingRateLimit, ThrottlingBurstLimit } = only('AWS::ApiGatewayV2::Stage').DefaultRouteSettings
    expect(ThrottlingRateLimit).toBeGreaterThan(0)
    expect(ThrottlingBurstLimit).toBeGreaterThanOrEqual(ThrottlingRateLimit)
    expect(only('AWS::ApiGatewayV2::Api').CorsConfiguration).toMatchObject({
      AllowOrigins: ['https://app.example.org'],
      AllowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      AllowHeaders: expect.arrayContaining([
        'authorization',
        'content-encoding',
        'if-match',
        'if-none-match',
        'idempotency-key',
        'x-request-id',
      ]),
      ExposeHeaders: expect.arrayContaining(['location', 'content-language', 'retry-after', 'x-request-id']),
    })
  })
})

test('the functions’ stack has no table: its name, its ARN and its stream are parameters', () => {
  expect(ofType('AWS::DynamoDB::Table')).toEqual([])
  expect(Object.keys(template.Parameters).sort()).toEqual(Object.keys(tableTemplate().Outputs).sort())
  expect(template.Metadata.Rollcall.parameters).toMatchObject({ userPoolArn: userPool, tags: { team: 'people' } })
  expect(JSON.stringify(template)).not.toContain('ImportValue')
})

test('the table: keys, indexes, expiry, backups, encryption, stream, and no way to lose it with a stack', () => {
  const { Table } = tableTemplate().Resources
  const properties = Table.Properties
  expect(Table).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
  expect(properties).toMatchObject({
    BillingMode: 'PAY_PER_REQUEST',
    DeletionProtectionEnabled: { Ref: 'DeletionProtection' },
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    SSESpecification: { SSEEnabled: true },
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
  })
  const keys = (schema: Any[]) => schema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`)
  expect(keys(properties.KeySchema)).toEqual(['HASH pk', 'RANGE sk'])
  const names = ['last_name', 'first_name', 'username_or_change', 'email', 'department', 'location_or_due']
  const wanted = [...names, 'created_at', 'updated_at', 'id'].map((order) => [
    `by_${order}`,
    'list',
    `by_${order}`,
    'deletion_at',
    'source',
    'hint',
  ])
  const found = properties.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }: Any) => {
    expect(Projection.ProjectionType).toBe('INCLUDE')
    return [IndexName, ...KeySchema.map((key: Any) => key.AttributeName), ...Projection.NonKeyAttributes]
  })
  expect(found).toEqual([...wanted, ['find', 'find', 'found', 'hint']])
})

test('a copy of the table goes to another vault every day, where one is named', () => {
  const { Resources, Conditions } = tableTemplate()
  const backups = Object.entries<Any>(Resources).filter(([name]) => name !== 'Table')
  for (const [name, { Condition }] of backups) expect([name, Condition]).toEqual([name, 'HasBackups'])
  expect(Conditions.HasBackups).toEqual({ 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'BackupVaultArn' }, ''] }] })
  expect(Resources.BackupPlan.Properties.BackupPlan.BackupPlanRule).toMatchObject([
    {
      TargetBackupVault: { Ref: 'BackupVault' },
      CopyActions: [{ DestinationBackupVaultArn: { Ref: 'BackupVaultArn' } }],
    },
  ])
  expect(Resources.BackupSelection.Properties.BackupSelection.Resources).toEqual([{ 'Fn::GetAtt': ['Table', 'Arn'] }])
  for (const name of ['BackupVault', 'BackupKey']) expect(Resources[name].DeletionPolicy).toBe('Retain')
  // What docs/operate.md promises to lose at most: a day, the window to begin in, and that to end in.
  const [{ StartWindowMinutes, CompletionWindowMinutes }] = Resources.BackupPlan.Properties.BackupPlan.BackupPlanRule
  expect(24 + (StartWindowMinutes + CompletionWindowMinutes) / 60).toBe(31)
})

describe('permissions', () => {
  const table = JSON.stringify({ Ref: 'TableArn' })
  const reading = ['BatchGetItem', 'Query']
  const writing = ['ConditionCheckItem', 'PutItem', 'UpdateItem', 'DeleteItem']

  const statements = (name: string): Any[] => {
    const role = template.Resources[roleOf(name)].Properties
    expect(lambda(name).Role).toEqual({ 'Fn::GetAtt': [roleOf(name), 'Arn'] })
    expect(role.ManagedPolicyArns).toBeUndefined()
    return role.Policies.flatMap(({ PolicyDocument }: Any) => PolicyDocument.Statement)
  }
  /** DynamoDB actions on the table itself; those on indexes with the index's name, those on its stream with `stream`. */
  const actions = (name: string): string[] =>
    statements(name)
      .slice(1)
      .filter(({ Action }) => Action.some((action: string) => action.startsWith('dynamodb:')))
      .filter(({ Condition }) => Condition === undefined)
      .flatMap(({ Action, Resource }) =>
        Action.flatMap((action: string) =>
          Resource.map((resource: Any) => {
            const isStream = resource.Ref === 'TableStreamArn'
            const index = resource['Fn::Sub']?.replace(/^\$\{TableArn\}\/index\//, ' ') ?? (isStream ? ' stream' : '')
            expect(index !== '' || JSON.stringify(resource) === table).toBe(true)
            return action.replace('dynamodb:', '') + index
          }),
        ),
      )

  test('endpoints of one permission share a role, every other function has its own; each writes to its log only', () => {
    expect(
      ofType('AWS::IAM::Role')
        .map(([name]) => name)
        .sort(),
    ).toEqual([...new Set([...names().map(roleOf), ...gatewayRoles()])].sort())
    for (const name of names())
      expect(statements(name)[0]).toEqual({
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: [{ 'Fn::GetAtt': [isEndpoint(name) ? 'EndpointsLogGroup' : `${logicalName(name)}LogGroup`, 'Arn'] }],
      })
  })

  test('every role of both stacks has the boundary, which leaves it all that it may do', () => {
    const boundary = policyOf('boundary-policy', 'dev')
    const named = { 'Fn::Sub': `${anyAccount}:policy/RollcallBoundary-dev` }
    for (const [name, { Properties }] of ofType('AWS::IAM::Role')) {
      expect(Properties.PermissionsBoundary, name).toEqual(named)
      for (const { Effect, Action, Resource } of Properties.Policies[0].PolicyDocument.Statement)
        for (const action of Effect === 'Allow' ? Action : [])
          for (const resource of Resource.map(resourceOf))
            expect([name, action, resource, isAllowedBy([boundary], { action, resource, context: ofStage })]).toEqual([
              name,
              action,
              resource,
              true,
            ])
    }
    const ofBackups = (tableTemplate() as Any).Resources.BackupRole.Properties.PermissionsBoundary
    expect(ofBackups).toEqual({ 'Fn::Sub': `${anyAccount}:policy/\${Boundary}` })
  })

  test('the deployer of the stage may make each resource that has a name, and pass each role', () => {
    const policies = [policyOf('deployer-policy', 'dev'), policyOf('deployer-tagged-policy', 'dev')]
    const boundary = arnOf('iam', 'policy/RollcallBoundary-dev', ['', '123456789012'])
    const context = {
      ...ofStage,
      'aws:CalledVia': 'cloudformation.amazonaws.com',
      'aws:RequestTag/STAGE': 'dev',
      'iam:PermissionsBoundary': boundary,
      'lambda:FunctionArn': arnOf('lambda', 'function:rollcall-dev-deliver'),
    }
    for (const [name, { Type, Properties }] of Object.entries<Any>(template.Resources)) {
      const made = madeAs[Type]?.(`rollcall-dev-${name}-A1`, Properties)
      if (made) expect([name, isAllowedBy(policies, { ...made, context })]).toEqual([name, true])
    }
    for (const [name, { Properties }] of ofType('AWS::IAM::Role')) {
      const [{ Principal }] = Properties.AssumeRolePolicyDocument.Statement
      const resource = arnOf('iam', `role/rollcall-dev-${name}-A1`, ['', '123456789012'])
      const passed = { ...context, 'iam:PassedToService': Principal.Service }
      expect(isAllowedBy(policies, { action: 'iam:PassRole', resource, context: passed }), name).toBe(true)
    }
  })

  test('functions with events may send failed ones to the queue', () => {
    const senders = names().filter((name) => JSON.stringify(statements(name)).includes('sqs:'))
    expect(senders).toEqual(['deliver', 'finishWork', 'importDirectory', 'importFile', 'purge'])
    expect(statements('purge')).toContainEqual({
      Effect: 'Allow',
      Action: ['sqs:SendMessage'],
      Resource: [{ 'Fn::GetAtt': ['FailedEvents', 'Arn'] }],
    })
  })

  test('no role may scan, or has a wildcard in actions or resources', () => {
    // X-Ray cannot be allowed on less.
    const traces = { Effect: 'Allow', Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], Resource: ['*'] }
    for (const name of names()) expect(statements(name).at(-1)).toEqual(traces)
    const roles = JSON.stringify(ofType('AWS::IAM::Role')).replaceAll(JSON.stringify(traces), '')
    expect(
      roles
        .replaceAll(/EVENTS#\*|WEBHOOK#\*|:s3:::our-files\/\*|\$\{PlanFiles\.Arn\}\/(?:\*\/parts\/)?\*/g, '')
        .includes('*'),
    ).toBe(false)
    expect(roles).not.toMatch(/scan/i)
  })

  test('what cursors are sealed with is denied to all but those who make cursors, who may make it', () => {
    for (const name of names().filter((one) => permissionOf(one) !== 'none')) {
      const [own, ...others] = statements(name).filter(
        (one) => one.Condition && !('ForAnyValue:StringLike' in one.Condition) && !notesUses(one),
      )
      const listing = ['scimGroups', 'scimUsers']
      const makes =
        listing.includes(name) || 'page_cursor' in (((contracts as Any)[name]?.query as Any)?.properties ?? {})
      const all = statements(name).find(({ Resource }) => JSON.stringify(Resource) === `[${table}]`)?.Action
      const secret = { 'dynamodb:LeadingKeys': ['SECRETS'] }
      expect([name, own, others]).toEqual([
        name,
        makes
          ? {
              ...{ Effect: 'Allow', Action: ['dynamodb:PutItem'], Resource: [{ Ref: 'TableArn' }] },
              Condition: onlyIn('SECRETS'),
            }
          : {
              ...{ Effect: 'Deny', Action: all, Resource: [{ Ref: 'TableArn' }] },
              Condition: { 'ForAnyValue:StringEquals': secret },
            },
        [],
      ])
    }
  })

  const onlyIn = (partition: string) => ({
    'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [partition] },
    Null: { 'dynamodb:LeadingKeys': ['false'] },
  })
  const notesUses = ({ Condition }: Any) => isDeepStrictEqual(Condition, onlyIn('TOKEN_USES'))

  test('endpoints that only read may note the uses of service tokens, and nothing else', () => {
    for (const name of names()) {
      const isReader = isEndpoint(name) && permissionOf(name) !== 'none' && !actions(name).includes('UpdateItem')
      const own = { Effect: 'Allow', Action: ['dynamodb:UpdateItem'], Resource: [{ Ref: 'TableArn' }] }
      expect([name, statements(name).filter(notesUses)]).toEqual([
        name,
        isReader ? [{ ...own, Condition: onlyIn('TOKEN_USES') }] : [],
      ])
    }
  })

  test('no event is updated or deleted; only the purge may write one anew', () => {
    for (const name of names()) {
      const may = actions(name).filter((one) => ['UpdateItem', 'DeleteItem', 'BatchWriteItem'].includes(one))
      const denied = statements(name).filter(({ Condition }) =>
        Condition?.['ForAnyValue:StringLike']?.['dynamodb:LeadingKeys'].includes('EVENTS#*'),
      )
      const wanted = name === 'purge' ? may.filter((one) => one !== 'BatchWriteItem') : may
      expect([name, denied]).toEqual([
        name,
        wanted.length === 0
          ? []
          : [
              {
                ...{ Effect: 'Deny', Action: wanted.map((one) => `dynamodb:${one}`), Resource: [{ Ref: 'TableArn' }] },
                Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['EVENTS#*'] } },
              },
            ],
      ])
    }
  })

  // Reading a task opens it; a preview has a body.
  const isRead = ({ method, name }: { method: string; name: string }) =>
    name === 'previewRule' || (method === 'GET' && name !== 'getTask')

  test('what only reads cannot write, and only what lists or counts reads indexes', () => {
    const all = tableProperties().GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
    const people = ['by_last_name', 'by_first_name', 'find']
    const ofTasks = ['by_created_at', 'by_updated_at', 'by_username_or_change', 'by_location_or_due']
    const indexes: Record<string, string[]> = {
      listUsers: all,
      listGroups: people,
      listGroupAssignments: people,
      listChannelAssignments: people,
      getGroup: ['by_last_name'],
      listTasks: ofTasks,
      listOwnTaskAssignments: ofTasks,
      getOwnTaskSummary: ofTasks,
      listTaskAssignments: ['find'],
      listRoles: ['find'],
      listChannels: ['find'],
      listOwnChannels: ['find'],
      listPeople: ['by_last_name', 'by_first_name', 'by_id', 'find'],
      listUserAccess: ['find'],
      previewRule: ['by_last_name'],
      listEvents: ['by_created_at', 'find'],
      listAssignableGroupRoles: ['find'],
      listAssignableChannelRoles: ['find'],
    }
    const reads = routesOf(serviceFunctions()).filter(isRead)
    for (const { name } of reads)
      expect(actions(name), `${name}, by \`indexes\` of this test`).toEqual([
        ...reading,
        ...(indexes[name] ?? []).map((index) => `Query ${index}`),
      ])
    expect(actions('refuseInactiveUser')).toEqual(reading)
    expect(actions('unknownRoute')).toEqual([])
  })

  test('writers do what a transaction needs, on the table alone; some find members or recipients', () => {
    const writers = routesOf(serviceFunctions()).filter((route) => !isRead(route))
    const finding: Record<string, string[]> = {
      ...Object.fromEntries(
        ['create', 'update', 'delete', 'archive', 'restore'].map((act) => [`${act}Group`, ['Query by_last_name']]),
      ),
      restoreGroup: ['Query by_last_name', 'Query by_id'],
      createRule: ['Query by_id'],
      updateRule: ['Query by_id'],
      deleteRule: ['Query by_id'],
      createTask: ['Query by_last_name'],
      addTaskRecipient: ['Query by_last_name'],
      updateTask: ['Query find'],
      deleteTask: ['Query find'],
    }
    for (const { name } of writers)
      expect(actions(name), `${name}, by \`finding\` of this test`).toEqual([
        ...reading,
        ...writing,
        ...(finding[name] ?? []),
      ])
    expect(actions('importDirectory')).toEqual([...reading, ...writing, 'BatchWriteItem'])
    expect(actions('checkDeployment')).toEqual([...reading, ...writing])
  })

  test('SCIM reads and writes, and lists users and groups as it sorts and filters them', () => {
    const users = ['by_last_name', 'by_first_name', 'by_username_or_change', 'by_created_at', 'by_updated_at', 'by_id']
    const listed = (indexes: readonly string[]) => indexes.map((index) => `Query ${index}`)
    expect(actions('scimDiscovery')).toEqual(reading)
    expect(actions('scimUsers')).toEqual([...reading, ...writing, ...listed([...users, 'find'])])
    expect(actions('scimGroups')).toEqual([...reading, ...writing, ...listed(['by_last_name', 'find'])])
  })

  test('a large import reads and decrypts the files of the bucket that is named, and of none without', () => {
    expect(actions('importFile')).toEqual([...reading, ...writing])
    const ofFiles = [
      {
        ...{ Effect: 'Allow', Action: ['s3:GetObject'] },
        Resource: [{ 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':s3:::our-files/*']] }],
      },
      { Effect: 'Allow', Action: ['kms:Decrypt'], Resource: [key] },
    ]
    expect(statements('importFile')).toEqual(expect.arrayContaining(ofFiles))
    expect(JSON.stringify(statements('importDirectory'))).not.toContain('s3:')
    expect(onFiles({ bucket: 'our-files', key: '' })).toEqual(ofFiles.slice(0, 1))
    expect(onFiles({ bucket: '', key: '' })).toEqual([])
  })

  test('parts of the files of plans are stored by one endpoint, read by another, and the rest is done by workers', () => {
    const onFiles = (name: string) =>
      statements(name).flatMap(({ Action, Resource }: Any) =>
        Action.filter((one: string) => one.startsWith('s3:')).map((one: string) => [
          one,
          resourceOf(Resource[0]).slice(planFilesArn.length),
        ]),
      )
    const users = names().filter((name) => 'PLAN_BUCKET' in (lambda(name).Environment?.Variables ?? {}))
    const all = [
      ...[
        ['s3:GetObject', '/*'],
        ['s3:PutObject', '/*'],
      ],
      ...[
        ['s3:DeleteObject', '/*'],
        ['s3:ListBucket', ''],
      ],
    ]
    expect(Object.fromEntries(users.map((name) => [name, onFiles(name)]))).toEqual({
      checkPlanFile: [['s3:GetObject', '/*/parts/*']],
      finishWork: all,
      purge: all,
      putPlanPart: [
        ['s3:PutObject', '/*/parts/*'],
        ['s3:DeleteObject', '/*/parts/*'],
      ],
    })
    for (const name of names())
      if (!users.includes(name) && name !== 'importFile') expect(onFiles(name), name).toEqual([])
    expect(JSON.stringify(template)).not.toContain('PLAN_FOLDER')
  })

  test('files of plans are encrypted, sent by TLS alone, never public, and gone after two days', () => {
    const { Properties } = template.Resources.PlanFiles
    expect(Object.values(Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true])
    expect(Properties.BucketEncryption.ServerSideEncryptionConfiguration).toEqual([
      { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
    ])
    expect(Properties.OwnershipControls.Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }])
    expect(Properties.LifecycleConfiguration.Rules).toMatchObject([{ Status: 'Enabled', ExpirationInDays: 2 }])
    const { PolicyDocument } = template.Resources.PlanFilesPolicy.Properties
    expect(PolicyDocument.Statement).toMatchObject([
      {
        ...{ Effect: 'Deny', Principal: '*', Action: 's3:*' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ])
  })

  test('the scheduled function removes, and finishes what others began', () => {
    const finding = ['Query by_last_name', 'Query by_updated_at', 'Query by_id', 'Query find']
    expect(actions('purge')).toEqual([...reading, ...writing, 'BatchWriteItem', ...finding])
    const hearing = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((act) => `${act} stream`)
    expect(actions('finishWork')).toEqual([...reading, ...writing, 'BatchWriteItem', ...finding, ...hearing])
    expect(actions('deliver')).toEqual([
      ...[...reading, ...writing, 'BatchWriteItem', 'Query by_created_at'],
      ...hearing,
    ])
  })

  test('the secrets of webhooks are encrypted where they are made, and decrypted where they sign', () => {
    const keyed = (action: string) => names().filter((name) => JSON.stringify(statements(name)).includes(action))
    // They share a role, as all endpoints of a permission do.
    expect(keyed('kms:Encrypt')).toEqual(['createWebhook', 'rotateWebhook'])
    expect(keyed('kms:Decrypt')).toEqual(['deliver', 'importFile'])
    const Resource = [{ 'Fn::GetAtt': ['WebhookKey', 'Arn'] }]
    expect(statements('deliver')).toContainEqual({ Effect: 'Allow', Action: ['kms:Decrypt'], Resource })
    const having = names().filter((name) => 'WEBHOOK_KEY' in lambda(name).Environment.Variables)
    expect(having).toEqual(['createWebhook', 'deliver', 'rotateWebhook'])
    expect(JSON.stringify(template)).not.toContain('WEBHOOKS_TO_THIS_MACHINE')
  })

  test('the store calls nothing that no function may do', () => {
    const source = ['dynamo', 'openStore', 'transact']
      .map((name) => readFileSync(`${root}/domain/table/${name}.ts`, 'utf8'))
      .join()
    const called = [...source.matchAll(/new (\w+)Command\(/g)].map(([, name]) => name)
    const known: Record<string, string[]> = {
      BatchGet: ['BatchGetItem'],
      Query: ['Query'],
      TransactWrite: writing,
      BatchWrite: ['BatchWriteItem'],
    }
    for (const action of new Set(called.flatMap((name) => known[name ?? ''] ?? [`unknown: ${name}`])))
      expect(actions('importDirectory')).toContain(action)
  })
})

describe('bundles', () => {
  // Limits that only a mistake exceeds, such as a package that brings much with it. No request waits for the import.
  const LARGEST = 350_000
  const LARGEST_IMPORT = 400_000
  // It lists and searches users, creates and changes them, with two compiled contracts.
  const LARGEST_SCIM = 383_000
  // They read files, judge their rows as the calls do, and finish all other work; no call waits for them to load.
  const LARGEST_WORKER = 473_000
  const limits: Record<string, number> = { finishWork: LARGEST_WORKER, purge: LARGEST_WORKER, scimUsers: LARGEST_SCIM }
  const largest = (name: string): number => limits[name] ?? (name.startsWith('import') ? LARGEST_IMPORT : LARGEST)
  const bundles = new Map<string, Buffer>()
  const bundleOf = (name: string): Buffer => {
    const known = bundles.get(name)
    if (known) return known
    const zip = Object.entries(unzipSync(readFileSync(join(made.folder, `${name}.zip`))))
    const files = zip.filter(([path]) => !path.startsWith('console/'))
    expect(files.map(([path]) => path)).toEqual([lambda(name).Handler.replace(/handler$/, 'cjs')])
    const bundle = Buffer.from(files[0]?.[1] ?? [])
    bundles.set(name, bundle)
    return bundle
  }
  // Texts that only the schema compiler has, and only the credential providers other than that of the environment.
  const compilerMarks = ['schema is invalid', 'no schema with key or ref']
  const providerMarks = [
    'credential_process',
    'sso_start_url',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    'AWS_CONTAINER_CREDENTIALS',
  ]

  test('are one file each, and not too large', () => {
    const sizes = Object.fromEntries(names().map((name) => [name, bundleOf(name).length]))
    for (const [name, size] of Object.entries(sizes)) expect(size, name).toBeLessThanOrEqual(largest(name))
  })

  test('can be read by all users, as Lambda needs, and have the same date whenever they are packed', () => {
    for (const name of names()) {
      const zip = readFileSync(join(made.folder, `${name}.zip`))
      const entry = zip.subarray(zip.lastIndexOf('PK\x01\x02'))
      const [system, time, day, mode] = [
        entry[5],
        entry.readUInt16LE(12),
        entry.readUInt16LE(14),
        entry.readUInt16LE(40),
      ]
      expect({ system, time, day, mode }, name).toEqual({ system: 3, time: 0, day: 0x21, mode: 0o100644 })
    }
  })

  test('hold neither a schema compiler nor a credential provider that Lambda has no use for', () => {
    for (const name of names())
      for (const mark of [...compilerMarks, ...providerMarks]) expect(bundleOf(name).includes(mark), name).toBe(false)
  })

  test('and only workers read CSV, and save how far a sum is', () => {
    const having = (mark: string) => names().filter((name) => bundleOf(name).includes(mark))
    expect(having('Quote Not Closed')).toEqual(['finishWork', 'purge'])
    expect(having('AGFzbQ')).toEqual(['finishWork', 'purge'])
  })

  test('which would be seen if they did', async () => {
    const entry = join(made.clone, 'whole.ts')
    const packages = ['ajv', '@aws-sdk/client-dynamodb'].map((name) => `export * from '${root}node_modules/${name}'`)
    writeFileSync(entry, packages.join('\n'))
    await bundle({ entry, outfile: join(made.clone, 'whole.cjs'), whole: true })
    const whole = readFileSync(join(made.clone, 'whole.cjs'), 'utf8')
    for (const mark of [...compilerMarks, ...providerMarks]) expect(whole).toContain(mark)
  })
})
