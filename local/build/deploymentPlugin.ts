// A plugin of the Serverless command: brings the parameters of the stage into serverless.yml, makes roles from
// `custom.permissions` there, and packs functions with newly compiled validators.

import { join } from 'node:path'
import { alarmResources } from './alarms.ts'
import { dashboardResource } from './dashboard.ts'
import { FAILED_EVENTS, keepUndelivered } from './failedSchedule.ts'
import { callByRole, type Resources } from './gatewayRole.ts'
import { setBoundary } from './permissionsBoundary.ts'
import { onFiles, onPlanFiles, onSecrets, onTable, type Permission, type Statement, toTrace } from './roleStatements.ts'
import { readStageFile, type Values, valuesOf } from './stageParameters.ts'
import { tableProperties } from './yamlFiles.ts'

type Serverless = {
  service: {
    provider: Provider
    custom: { permissions: Record<string, Permission> }
    functions: Record<string, ServerlessFunction>
    resources: { Resources: Record<string, unknown>; Outputs: Record<string, unknown> }
  }
  processedInput: { commands: readonly string[] }
  getProvider: (name: 'aws') => { naming: Naming }
  configSchemaHandler: { defineFunctionProperties: (provider: string, schema: object) => void }
  config: { serviceDir: string }
  serviceDir: string
  classes: { Error: new (message: string, code: string) => Error }
}
type Provider = {
  stage: string
  compiledCloudFormationTemplate: { Resources: Resources; Metadata?: object }
  environment: Record<string, unknown>
  httpApi: { cors?: { allowedOrigins: readonly string[] }; disableDefaultEndpoint?: boolean }
  logs: { httpApi: { format: string } }
  tracing?: { lambda: boolean }
  stackTags: Record<string, string>
  stackParameters?: readonly object[]
  rollbackConfiguration?: object
}
type ServerlessFunction = {
  permission?: string
  role?: string
  destinations?: object
  events: readonly { httpApi?: unknown; stream?: { destinations?: object } }[]
  disableLogs?: boolean
  logs?: { logFormat: string; logGroup: string }
  package?: { artifact: string }
  reservedConcurrency?: number
  provisionedConcurrency?: number
}
type Naming = { getLogGroupLogicalId: (name: string) => string; getNormalizedFunctionName: (name: string) => string }

/** The input of the deploy command: the parameters of the stack, which describe the table, and the alarms to watch. */
export type Deployed = { table: Readonly<Record<string, string>>; watched: readonly string[] }

/** The variable in which the deploy command passes `Deployed`, as JSON. */
export const DEPLOYED = 'ROLLCALL_DEPLOYED'

/** The constructor that the command calls; a function serves as one. */
export default function Deployment(serverless: Serverless, { stage = 'dev', param = [] }: Options = {}) {
  const property = { type: 'object', properties: { permission: { type: 'string' } }, required: ['permission'] }
  serverless.configSchemaHandler.defineFunctionProperties('aws', property)
  const values = valuesOf({ file: readStageFile(serverless.serviceDir, stage) ?? {}, options: param })
  const deployed = JSON.parse(process.env[DEPLOYED] ?? 'null') as Deployed | null
  const fillIn = () => deployed && fillInDeployed(serverless.service.provider, deployed, values)
  return {
    /** The value of `${parameter:NAME}` in serverless.yml. */
    configurationVariablesSources: { parameter: { resolve: valueAt(values) } },
    hooks: {
      initialize: () => {
        requireDeployCommand(serverless, deployed)
        applyParameters(serverless.service, values)
        giveRoles(serverless, values)
        addMonitoring(serverless.service, values)
        fillIn()
      },
      'after:package:compileEvents': () => {
        const template = serverless.service.provider.compiledCloudFormationTemplate
        callByRole(template.Resources)
        keepUndelivered(template.Resources)
        // The next deployment compares its parameters with these.
        template.Metadata = { Rollcall: { parameters: values } }
      },
      // Here all resources are in the template: those of serverless.yml, too.
      'after:aws:package:finalize:mergeCustomProviderResources': () =>
        setBoundary(serverless.service.provider.compiledCloudFormationTemplate.Resources, stage),
      'before:package:createDeploymentArtifacts': () => pack(serverless),
      'before:deploy:function:packageFunction': () => pack(serverless),
      // The command takes the provider from the package, which was built before the table was known. A new stack
      // begins with only a bucket, and CloudFormation refuses parameters that its template does not have.
      'before:aws:deploy:deploy:createStack': () => {
        serverless.service.provider.stackParameters = []
      },
      'before:aws:deploy:deploy:updateStack': fillIn,
    },
  }
}

type Options = { stage?: string; param?: readonly string[] }

/** `NAME.joined` is a list as a text with spaces between its values, none of which has spaces. */
const valueAt =
  (values: Values) =>
  ({ address }: { address: string }): { value: unknown } => {
    const [name = '', form] = address.split('.')
    const value = values[name]
    return { value: form === 'joined' && Array.isArray(value) ? value.join(' ') : value }
  }

/** Only `npm run deploy` compares parameters, protects the table and checks the result. */
function requireDeployCommand({ processedInput, classes }: Serverless, deployed: Deployed | null) {
  const [command = ''] = processedInput.commands
  if (!['deploy', 'rollback'].includes(command) || deployed) return
  throw new classes.Error(`Use npm run deploy -- --stage STAGE instead of serverless ${command}.`, 'NO_DEPLOY_COMMAND')
}

function fillInDeployed(provider: Provider, { table, watched }: Deployed, values: Values) {
  provider.stackParameters = Object.entries(table).map(([ParameterKey, ParameterValue]) => ({
    ParameterKey,
    ParameterValue,
  }))
  provider.rollbackConfiguration = {
    RollbackTriggers: watched.map((Arn) => ({ Arn, Type: 'AWS::CloudWatch::Alarm' })),
    MonitoringTimeInMinutes: watched.length > 0 ? values['watchMinutes'] : 0,
  }
}

/** Resources of serverless.yml that exist only if a parameter is set. */
const resourcesOf: Readonly<Record<string, readonly string[]>> = {
  // Without a pool the permission would have an empty SourceArn.
  userPoolArn: ['UserPoolPermission'],
  domainName: ['ApiDomain', 'ApiMapping'],
  logActor: ['ActorLogKey'],
  edge: ['OriginPath'],
}

/** Applies parameters that serverless.yml cannot apply itself. */
function applyParameters(service: Serverless['service'], values: Values) {
  const { provider, resources } = service
  if (!values['console']) delete service.functions['console']
  for (const [name, dependent] of Object.entries(resourcesOf))
    if (!values[name]) for (const resource of dependent) delete resources.Resources[resource]
  if (!values['domainName']) delete resources.Outputs['DomainTarget']
  applyToEdge(resources, values)
  if (provider.httpApi.cors?.allowedOrigins.length === 0) delete provider.httpApi.cors
  provider.httpApi.disableDefaultEndpoint = !values['defaultAddress']
  Object.assign(provider.stackTags, values['tags'])
  applyToLogs(provider, values)
  applyToConcurrency(service, values)
}

/** With an edge the API is at a path that only CloudFront has: the gateway itself refuses all other calls. */
function applyToEdge({ Resources, Outputs }: Serverless['service']['resources'], values: Values) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's
  const path = { 'Fn::Sub': '{{resolve:secretsmanager:${OriginPath}:SecretString}}' }
  const mapping = Resources['ApiMapping'] as { Properties: Record<string, unknown> } | undefined
  if (values['edge'] && mapping) mapping.Properties['ApiMappingKey'] = path
  else delete Outputs['OriginPathSecret']
}

function applyToLogs(provider: Provider, values: Values) {
  const { environment, logs } = provider
  // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's
  const key = { 'Fn::Sub': '{{resolve:secretsmanager:${ActorLogKey}:SecretString}}' }
  if (values['logActor']) environment['ACTOR_LOG_KEY'] = key
  if (values['tracing']) provider.tracing = { lambda: true }
  if (values['logSourceAddress'])
    logs.httpApi.format = JSON.stringify({
      ...JSON.parse(logs.httpApi.format),
      source_address: '$context.identity.sourceIp',
    })
}

function applyToConcurrency({ functions, resources }: Serverless['service'], values: Values) {
  for (const [name, parameter] of Object.entries(reservedBy))
    if (functions[name] && values[parameter]) functions[name].reservedConcurrency = Number(values[parameter])
  if (values['provisionedForLogins']) provisionLogins(functions, resources, Number(values['provisionedForLogins']))
}

const reservedBy = {
  refuseInactiveUser: 'reservedForLogins',
  finishWork: 'reservedForWork',
  purge: 'reservedForPurge',
  deliver: 'reservedForDeliveries',
} as const

/** Instances are provisioned for a version of a function, so the user pool calls its alias. */
function provisionLogins(
  { refuseInactiveUser }: Serverless['service']['functions'],
  { Resources }: Serverless['service']['resources'],
  instances: number,
) {
  if (refuseInactiveUser) refuseInactiveUser.provisionedConcurrency = instances
  const permission = Resources['UserPoolPermission'] as { Properties: { FunctionName: object } } | undefined
  if (permission) permission.Properties.FunctionName = { Ref: 'RefuseInactiveUserProvConcLambdaAlias' }
}

/** Where the command expects the package, below the service's folder. */
const PACKAGE = '.serverless'

/** Packs each function into a zip. */
async function pack({ config, service, classes }: Serverless) {
  // Loaded late: most commands pack nothing.
  const [{ compile }, { filesIn, packAll }, { BEFORE, BUILT, buildConsole }] = await Promise.all([
    import('./compile.ts'),
    import('./pack.ts'),
    import('./console.ts'),
  ])
  const packing = async () => {
    // Bundles contain schemas/compiled, which is missing in a fresh clone and old after a pull.
    await compile()
    if (service.functions['console']) await buildConsole()
    await packAll(join(config.serviceDir, PACKAGE), { console: filesIn(config.serviceDir, [BUILT, BEFORE]) })
  }
  await packing().catch((error: Error) => {
    throw new classes.Error(error.message, 'NOT_BUNDLED')
  })
  // Relative, so that a copy of the folder can be deployed.
  for (const [name, definition] of Object.entries(service.functions))
    definition.package = { artifact: join(PACKAGE, `${name}.zip`) }
}

function addMonitoring({ provider: { stage }, resources }: Serverless['service'], values: Values) {
  Object.assign(resources.Resources, alarmResources(stage, values), { Dashboard: dashboardResource(stage) })
}

function giveRoles(serverless: Serverless, values: Values) {
  const { service, classes } = serverless
  const { naming } = serverless.getProvider('aws')
  const { Resources } = service.resources
  const indexes = tableProperties().GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
  for (const [name, definition] of Object.entries(service.functions)) {
    const permission = service.custom.permissions[definition.permission ?? '']
    if (!permission) throw new classes.Error(`${name}: no permission '${definition.permission}'`, 'NO_SUCH_PERMISSION')
    const { role, logGroup, isEndpoint } = roleAndLog(name, definition, naming)
    if (logGroup === SHARED_LOG) shareLog(definition, service.provider.stage)
    definition.role = role
    const failed = sendsFailures(definition) ? [toFailedEvents] : []
    const traced = values['tracing'] ? [toTrace] : []
    Resources[role] = roleWith([
      logs(logGroup),
      ...onTable({ ...permission, tokens: isEndpoint }, indexes),
      ...onFiles(permission),
      ...onPlanFiles(permission),
      ...onSecrets(permission),
      ...failed,
      ...traced,
    ])
  }
}

/** A function's role and log group. Endpoints with the same permission share a role. */
function roleAndLog(name: string, { events, permission = '' }: ServerlessFunction, naming: Naming) {
  const isEndpoint = events.some(({ httpApi }) => httpApi)
  return isEndpoint
    ? { isEndpoint, role: `Endpoints${naming.getNormalizedFunctionName(permission)}Role`, logGroup: SHARED_LOG }
    : { isEndpoint, role: `${naming.getNormalizedFunctionName(name)}Role`, logGroup: naming.getLogGroupLogicalId(name) }
}

/** The log group in serverless.yml of all functions that the HTTP API calls: one log to search, and many fewer resources. */
const SHARED_LOG = 'EndpointsLogGroup'

function shareLog(definition: ServerlessFunction, stage: string) {
  definition.disableLogs = true // no separate group
  definition.logs = { logFormat: 'JSON', logGroup: `/aws/lambda/rollcall-${stage}` }
}

const roleWith = (statements: readonly Statement[]) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    },
    Policies: [{ PolicyName: 'own', PolicyDocument: { Version: '2012-10-17', Statement: statements } }],
  },
})

/** Whether Lambda sends failed events of a function to the queue, which needs the function's role. */
const sendsFailures = ({ destinations, events }: ServerlessFunction): boolean =>
  destinations !== undefined || events.some(({ stream }) => stream?.destinations)

const toFailedEvents: Statement = { Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: [FAILED_EVENTS] }

const logs = (logGroup: string): Statement => ({
  Effect: 'Allow',
  Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
  Resource: [{ 'Fn::GetAtt': [logGroup, 'Arn'] }],
})
