// A plugin of the Serverless command: makes roles from `custom.permissions` in serverless.yml, packs functions with
// validators that are compiled anew, and refuses to deploy without the parameters that it needs.

import { join } from 'node:path'
import { alarmResources } from './alarms.ts'
import { dashboardResource } from './dashboard.ts'
import { FAILED_EVENTS, keepUndelivered } from './failedEvents.ts'
import { callByRole, type Resources } from './gatewayRole.ts'
import { faultsOf } from './parameters.ts'
import { tableProperties } from './serviceFile.ts'
import { onFiles, onTable, type Permission, type Statement } from './statements.ts'

type Serverless = {
  service: {
    provider: {
      stage: string
      compiledCloudFormationTemplate: { Resources: Resources }
      stackParameters?: readonly object[]
    }
    custom: { permissions: Record<string, Permission>; parameters: Record<string, unknown> }
    functions: Record<string, ServerlessFunction>
    resources: { Resources: Record<string, unknown> }
  }
  processedInput: { commands: readonly string[]; options: { param?: readonly string[] } }
  getProvider: (name: 'aws') => { naming: Naming }
  configSchemaHandler: { defineFunctionProperties: (provider: string, schema: object) => void }
  config: { serviceDir: string }
  classes: { Error: new (message: string, code: string) => Error }
}
type ServerlessFunction = {
  permission?: string
  role?: string
  destinations?: object
  events: readonly { httpApi?: unknown; stream?: { destinations?: object } }[]
  disableLogs?: boolean
  logs?: { logFormat: string; logGroup: string }
  package?: { artifact: string }
}
type Naming = { getLogGroupLogicalId: (name: string) => string; getNormalizedFunctionName: (name: string) => string }

/** The constructor that the command calls; a function serves as one. */
export default function Deployment(serverless: Serverless) {
  const property = { type: 'object', properties: { permission: { type: 'string' } }, required: ['permission'] }
  serverless.configSchemaHandler.defineFunctionProperties('aws', property)
  let stackParameters: readonly object[] = []
  return {
    hooks: {
      initialize: () => {
        stackParameters = serverless.service.provider.stackParameters ?? []
        const [command] = serverless.processedInput.commands
        const isForDeployment = process.env[DEPLOYING] !== undefined
        if (command === 'deploy' || isForDeployment) requireParameters(serverless, command === 'deploy')
        giveRoles(serverless)
        leaveOutUnused(serverless.service)
        addMonitoring(serverless.service)
      },
      'after:package:compileEvents': () => {
        const { Resources } = serverless.service.provider.compiledCloudFormationTemplate
        callByRole(Resources)
        keepUndelivered(Resources)
      },
      'before:package:createDeploymentArtifacts': () => pack(serverless),
      'before:deploy:function:packageFunction': () => pack(serverless),
      // The command takes the provider from the package, which was made when the table was not known yet. A new stack
      // begins with a bucket alone, and CloudFormation refuses parameters that its template does not have.
      'before:aws:deploy:deploy:createStack': () => {
        serverless.service.provider.stackParameters = []
      },
      'before:aws:deploy:deploy:updateStack': () => {
        serverless.service.provider.stackParameters = stackParameters
      },
    },
  }
}

/** Where the command expects what it deploys, below the service's folder. */
const PACKAGE = '.serverless'

/** Gives each function its zip. */
async function pack({ config, service, classes }: Serverless) {
  // Loaded late: most commands pack nothing.
  const [{ compile }, { packAll }] = await Promise.all([import('./compile.ts'), import('./pack.ts')])
  // Bundles hold what is in schemas/compiled: a fresh clone has none, and after a pull they are old.
  await compile()
  await packAll(join(config.serviceDir, PACKAGE)).catch((error: Error) => {
    throw new classes.Error(error.message, 'NOT_BUNDLED')
  })
  // Relative, so that what is packed here can be deployed from a copy.
  for (const [name, definition] of Object.entries(service.functions))
    definition.package = { artifact: join(PACKAGE, `${name}.zip`) }
}

/** With this variable set, packaging demands what a deployment does: all but the table, which may not be there yet. */
export const DEPLOYING = 'DEPLOYING'

/** Refuses a deployment that would fail, or do harm, and names all that is wrong with its parameters at once. */
function requireParameters({ service, processedInput, classes }: Serverless, isTableKnown: boolean) {
  const faults = faultsOf({
    stage: service.provider.stage,
    parameters: service.custom.parameters,
    functions: Object.keys(service.functions),
    options: processedInput.options.param ?? [],
    isTableKnown,
  })
  if (faults.length === 0) return
  throw new classes.Error(
    `A deployment must know:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    'NOT_ALL_IS_GIVEN',
  )
}

/** A permission for a user pool that is not named would be one with an empty SourceArn. */
function leaveOutUnused({ custom, resources }: Serverless['service']) {
  if (!custom.parameters['userPoolArn']) delete resources.Resources['UserPoolPermission']
}

function addMonitoring({ provider: { stage }, custom: { parameters }, resources }: Serverless['service']) {
  const told = { email: String(parameters['alarmEmail']), topicArn: String(parameters['alarmTopicArn']) }
  Object.assign(resources.Resources, alarmResources(stage, told), { Dashboard: dashboardResource(stage) })
}

function giveRoles(serverless: Serverless) {
  const { service, classes } = serverless
  const { naming } = serverless.getProvider('aws')
  const { Resources } = service.resources
  const indexes = tableProperties().GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
  for (const [name, definition] of Object.entries(service.functions)) {
    const permission = service.custom.permissions[definition.permission ?? '']
    if (!permission) throw new classes.Error(`${name}: no permission '${definition.permission}'`, 'NO_SUCH_PERMISSION')
    const { role, logGroup } = placeOf(name, definition, naming)
    if (logGroup === SHARED_LOG) shareLog(definition, service.provider.stage)
    definition.role = role
    const failed = tellsOfFailures(definition) ? [toFailedEvents] : []
    Resources[role] = roleWith([logs(logGroup), ...onTable(permission, indexes), ...onFiles(permission), ...failed])
  }
}

/** A function's role and log group. Endpoints that may do the same share a role: it would be the same statements many times. */
function placeOf(name: string, { events, permission = '' }: ServerlessFunction, naming: Naming) {
  const isEndpoint = events.some(({ httpApi }) => httpApi)
  return isEndpoint
    ? { role: `Endpoints${naming.getNormalizedFunctionName(permission)}Role`, logGroup: SHARED_LOG }
    : { role: `${naming.getNormalizedFunctionName(name)}Role`, logGroup: naming.getLogGroupLogicalId(name) }
}

/** The log group in serverless.yml of all functions that the HTTP API calls: one place to look, and many resources fewer. */
const SHARED_LOG = 'EndpointsLogGroup'

function shareLog(definition: ServerlessFunction, stage: string) {
  definition.disableLogs = true // no group of its own
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

/** Whether Lambda sends the events that a function could not do to the queue: it does so by the function's role. */
const tellsOfFailures = ({ destinations, events }: ServerlessFunction): boolean =>
  destinations !== undefined || events.some(({ stream }) => stream?.destinations)

const toFailedEvents: Statement = { Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: [FAILED_EVENTS] }

const logs = (logGroup: string): Statement => ({
  Effect: 'Allow',
  Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
  Resource: [{ 'Fn::GetAtt': [logGroup, 'Arn'] }],
})
