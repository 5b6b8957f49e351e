import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

// A stand-in of AWS for deployments: a server that speaks the protocols of CloudFormation, S3, STS, DynamoDB, CloudWatch and
// Lambda, as far as the deploy command and the Serverless command use them, and keeps what they make. The API that a
// deployment makes answers here, too.

// biome-ignore lint/suspicious/noExplicitAny: templates and requests are data of any shape
type Any = any

export type CloudStack = {
  status: string
  template: Any
  parameters: Record<string, string>
  outputs: Record<string, string>
  tags: Record<string, string>
  /** The name of the table that it has made or adopted. */
  table?: string
  policy?: Any
  isProtected?: boolean
  rollback?: Any
  /** How the update that is under way ends, at the second look. */
  next?: { status: string; looks: number }
}
type CloudTable = { described: Any; expiry: Any; isBackedUp: boolean }
type Reply = { status?: number; type?: string; headers?: Record<string, string>; body: string | Buffer }

const ACCOUNT = '123456789012'
const REGION = 'eu-west-1'
const arn = (service: string, name: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${name}`

/** Starts the stand-in. `env` makes the clients of AWS use it. */
export async function startCloud() {
  const stacks = new Map<string, CloudStack>()
  const tables = new Map<string, CloudTable>()
  const files = new Map<string, Buffer>()
  const changeSets = new Map<string, Any>()
  /** What was asked, as `service:Action`, in order. */
  const calls: string[] = []
  /** What a test decides: alarms that ring, how the API and the functions behave, and which action fails how often. */
  const world = {
    ringing: new Set<string>(),
    api: (_path: string): Reply => ({ status: 401, body: '{"error_code":"UNAUTHENTICATED"}' }),
    invoke: (_name: string): string | undefined => undefined,
    fails: undefined as string | undefined,
  }
  let url = ''

  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const { status = 200, type = 'text/xml', headers, body: answer } = await replyTo(request, body)
    response.writeHead(status, { 'content-type': type, ...headers }).end(request.method === 'HEAD' ? undefined : answer)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function replyTo(request: IncomingMessage, body: Buffer): Promise<Reply> {
    const [, service] = /Credential=[^,]*\/(\w+)\/aws4_request/.exec(request.headers.authorization ?? '') ?? []
    if (service === 's3') return ofS3(request, body)
    const target = String(request.headers['x-amz-target'] ?? '').split('.')[1]
    if (service === 'lambda') return ofLambda(request)
    if (target) return ofJson(`${service}:${target}`, JSON.parse(body.toString() || '{}'))
    if (service) return ofQuery(service, Object.fromEntries(new URLSearchParams(body.toString())))
    return { type: 'application/json', ...world.api(request.url ?? '') }
  }

  // CloudFormation and STS: Query requests, XML answers.

  const xml = (value: Any): string => {
    if (Array.isArray(value)) return value.map((one) => `<member>${xml(one)}</member>`).join('')
    if (typeof value === 'object' && value !== null)
      return Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => `<${name}>${xml(one)}</${name}>`)
        .join('')
    return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  }
  const fault = (message: string, code = 'ValidationError'): Reply => ({
    status: 400,
    body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${xml(message)}</Message></Error></ErrorResponse>`,
  })
  const pairs = (all: Record<string, string>, kind: string, name = `${kind}Key`, value = `${kind}Value`) =>
    Object.entries(all).map(([one, other]) => ({ [name]: one, [value]: other }))
  /** The members of a list in a form, as name and value. */
  const listed = (form: Record<string, string>, prefix: string, name: string, value: string) => {
    const found: Record<string, string> = {}
    for (let n = 1; form[`${prefix}.member.${n}.${name}`] !== undefined; n++)
      found[form[`${prefix}.member.${n}.${name}`] as string] = form[`${prefix}.member.${n}.${value}`] ?? ''
    return found
  }

  function ofQuery(service: string, form: Record<string, string>): Reply {
    const action = form['Action'] ?? ''
    calls.push(`${service}:${action}`)
    if (service === 'sts') return answer(action, { Account: ACCOUNT, Arn: arn('iam', 'user/x'), UserId: 'x' })
    if (world.fails === action) {
      world.fails = undefined
      return fault('interrupted', 'AccessDenied')
    }
    try {
      const result = formation[action]?.(form)
      return result ? answer(action, result) : fault(`no answer to ${action}`, 'InvalidAction')
    } catch (error) {
      return fault((error as Error).message)
    }
  }
  const answer = (action: string, result: object): Reply => ({
    body: `<${action}Response><${action}Result>${xml(result)}</${action}Result></${action}Response>`,
  })

  const requireStack = (name = ''): CloudStack => {
    const stack = stacks.get(name.replace(/^arn:.*:stack\/([^/]+)\/.*$/, '$1'))
    if (!stack) throw new Error(`Stack with id ${name} does not exist`)
    return stack
  }
  const idOf = (name: string) => arn('cloudformation', `stack/${name}/1`)
  const nameIn = (form: Record<string, string>) =>
    (form['StackName'] ?? '').replace(/^arn:.*:stack\/([^/]+)\/.*$/, '$1')

  /** The template of a request, in it or in a bucket. */
  function templateOf(form: Record<string, string>): Any {
    if (form['TemplateBody']) return JSON.parse(form['TemplateBody'])
    const path = decodeURIComponent(new URL(form['TemplateURL'] ?? '').pathname.slice(1))
    const file = files.get(path)
    if (!file) throw new Error(`S3 has no ${path}`)
    return JSON.parse(file.toString())
  }
  const parametersOf = (form: Record<string, string>) => listed(form, 'Parameters', 'ParameterKey', 'ParameterValue')
  const tagsOf = (form: Record<string, string>) => listed(form, 'Tags', 'Key', 'Value')

  /** What the stack policy denies of an update, as CloudFormation decides: only what concerns the table. */
  function requireAllowed(stack: CloudStack, next: Any, during?: string): void {
    const policy = during ? JSON.parse(during) : stack.policy
    const denied = (policy?.Statement ?? []).flatMap(({ Effect, Action, Resource }: Any) =>
      Effect === 'Deny' && Resource === 'LogicalResourceId/Table' ? [Action].flat() : [],
    )
    const [before, after] = [stack.template.Resources['Table'], next.Resources['Table']]
    if (!before) return
    const keys = (table: Any) => JSON.stringify([table.Properties.KeySchema, table.Properties.TableName])
    const what = !after ? 'Update:Delete' : keys(before) === keys(after) ? undefined : 'Update:Replace'
    if (what && denied.includes(what)) throw new Error(`Action denied by stack policy: ${what} of Table`)
  }

  /** The table of a stack: a new one where the template has one that the stack did not have, or had with another key. */
  function makeTable(name: string, stack: CloudStack, template: Any): void {
    const { Properties } = template.Resources['Table']
    const before = stack.template.Resources?.['Table']
    if (before && JSON.stringify(before.Properties.KeySchema) === JSON.stringify(Properties.KeySchema)) return
    const tableName = `${name}-Table-${tables.size + 1}`
    tables.set(tableName, tableAs(tableName, Properties))
    stack.table = tableName
  }
  const outputsOfTable = (tableName: string) => ({
    TableName: tableName,
    TableArn: arn('dynamodb', `table/${tableName}`),
    TableStreamArn: arn('dynamodb', `table/${tableName}/stream/1`),
  })

  function begin(name: string, stack: CloudStack, template: Any, kind: 'CREATE' | 'UPDATE' | 'IMPORT'): void {
    stack.status = `${kind}_IN_PROGRESS`
    stack.next = { status: `${kind}_COMPLETE`, looks: 0 }
    if (template.Resources['Table'] && kind !== 'IMPORT') makeTable(name, stack, template)
    stack.template = template
    if (!template.Resources['Table']) delete stack.table
    stack.outputs = template.Outputs && stack.table ? outputsOfTable(stack.table) : {}
    if (template.Resources['HttpApi']) stack.outputs['HttpApiUrl'] = url
    if (template.Resources['ServerlessDeploymentBucket'])
      stack.outputs['ServerlessDeploymentBucketName'] = `${name}-files`
  }

  function apply(name: string, form: Record<string, string>, kind: 'CREATE' | 'UPDATE' | 'IMPORT'): void {
    const template = templateOf(form)
    const unknown = Object.keys(parametersOf(form)).filter((one) => !(one in (template.Parameters ?? {})))
    if (unknown.length > 0) throw new Error(`Parameters: [${unknown}] do not exist in the template`)
    const stack: CloudStack = stacks.get(name) ?? { status: '', template: {}, parameters: {}, outputs: {}, tags: {} }
    if (kind === 'UPDATE') {
      requireAllowed(stack, template, form['StackPolicyDuringUpdateBody'])
      if (stack.status.endsWith('_IN_PROGRESS')) throw new Error(`Stack ${name} is in ${stack.status} state`)
      const parts = (one: Any) => JSON.stringify([one.template, one.parameters, one.tags])
      const next = { template, parameters: parametersOf(form), tags: tagsOf(form) }
      if (parts(stack) === parts(next)) throw new Error('No updates are to be performed.')
    }
    stacks.set(name, stack)
    begin(name, stack, template, kind)
    stack.parameters = parametersOf(form)
    stack.tags = tagsOf(form)
    stack.rollback = {
      minutes: form['RollbackConfiguration.MonitoringTimeInMinutes'],
      alarms: Object.keys(listed(form, 'RollbackConfiguration.RollbackTriggers', 'Arn', 'Type')),
    }
    if (form['StackPolicyBody']) stack.policy = JSON.parse(form['StackPolicyBody'])
  }

  const formation: Record<string, (form: Record<string, string>) => object> = {
    DescribeStacks: (form) => {
      const stack = requireStack(form['StackName'])
      if (stack.next && ++stack.next.looks >= 2) {
        stack.status = stack.next.status
        delete stack.next
      }
      const { status, outputs, parameters } = stack
      return {
        Stacks: [
          {
            ...{ StackName: nameIn(form), StackId: idOf(nameIn(form)), StackStatus: status },
            ...{ CreationTime: '2026-11-22T10:00:00Z', Outputs: pairs(outputs, 'Output') },
            Parameters: pairs(parameters, 'Parameter'),
          },
        ],
      }
    },
    GetTemplate: (form) => ({ TemplateBody: JSON.stringify(requireStack(form['StackName']).template) }),
    CreateStack: (form) => {
      apply(nameIn(form), form, 'CREATE')
      return { StackId: idOf(nameIn(form)) }
    },
    UpdateStack: (form) => {
      requireStack(form['StackName'])
      apply(nameIn(form), form, 'UPDATE')
      return { StackId: idOf(nameIn(form)) }
    },
    SetStackPolicy: (form) => {
      requireStack(form['StackName']).policy = JSON.parse(form['StackPolicyBody'] ?? '')
      return {}
    },
    UpdateTerminationProtection: (form) => {
      requireStack(form['StackName']).isProtected = form['EnableTerminationProtection'] === 'true'
      return { StackId: idOf(nameIn(form)) }
    },
    DeleteStack: (form) => {
      stacks.delete(nameIn(form))
      return {}
    },
    ValidateTemplate: () => ({}),
    CreateChangeSet: (form) => {
      const imported = form['ResourcesToImport.member.1.ResourceIdentifier.entry.1.value']
      if (form['ChangeSetType'] === 'IMPORT') {
        const template = templateOf(form)
        if (template.Outputs) throw new Error('As part of the import operation, you cannot modify or add [Outputs]')
        if (!template.Resources.Table.DeletionPolicy) throw new Error('Table must have DeletionPolicy')
        const now = stacks.get(nameIn(form))?.template.Resources ?? {}
        const made = Object.keys(template.Resources).filter((name) => name !== 'Table' && !(name in now))
        if (made.length > 0) throw new Error(`An import cannot make ${made}`)
        if (!imported || !tables.has(imported)) throw new Error(`No table ${imported}`)
      }
      changeSets.set(nameIn(form), { form, imported })
      return { Id: arn('cloudformation', 'changeSet/x/1'), StackId: idOf(nameIn(form)) }
    },
    DescribeChangeSet: (form) => ({
      ...{ Status: 'CREATE_COMPLETE', StackName: nameIn(form), StackId: idOf(nameIn(form)) },
      ...{ ChangeSetName: form['ChangeSetName'], Changes: [{ Type: 'Resource' }] },
    }),
    ExecuteChangeSet: (form) => {
      const { form: made, imported } = changeSets.get(nameIn(form))
      apply(nameIn(form), made, made['ChangeSetType'])
      if (imported) requireStack(nameIn(form)).table = imported
      return {}
    },
    DeleteChangeSet: (form) => {
      if (!stacks.has(nameIn(form))) throw new Error(`Stack [${nameIn(form)}] does not exist`)
      changeSets.delete(nameIn(form))
      return {}
    },
    DescribeStackEvents: (form) => {
      const stack = requireStack(form['StackName'])
      const kind = stack.status.replace(/_(IN_PROGRESS|COMPLETE)$/, '')
      const event = (nth: number, status: string) => ({
        ...{ EventId: `${nth}`, StackId: idOf(nameIn(form)), StackName: nameIn(form), LogicalResourceId: nameIn(form) },
        ...{ ResourceType: 'AWS::CloudFormation::Stack', ResourceStatus: status, Timestamp: '2026-11-22T10:00:00Z' },
        PhysicalResourceId: idOf(nameIn(form)),
      })
      stack.status = `${kind}_COMPLETE`
      delete stack.next
      return { StackEvents: [event(2, `${kind}_COMPLETE`), event(1, `${kind}_IN_PROGRESS`)] }
    },
    DescribeStackResource: (form) => {
      requireStack(form['StackName'])
      return { StackResourceDetail: { PhysicalResourceId: `${nameIn(form)}-files` } }
    },
    ListStackResources: () => ({ StackResourceSummaries: [] }),
  }

  // DynamoDB and CloudWatch: JSON.

  const json = (value: object): Reply => ({ type: 'application/x-amz-json-1.0', body: JSON.stringify(value) })

  function ofJson(action: string, input: Any): Reply {
    calls.push(action)
    const table = tables.get(input.TableName)
    const isOfTable = ['DescribeTable', 'DescribeTimeToLive', 'DescribeContinuousBackups'].includes(
      action.split(':')[1] ?? '',
    )
    if (isOfTable && !table)
      return { status: 400, ...json({ __type: 'x#ResourceNotFoundException', message: `No table ${input.TableName}` }) }
    switch (action) {
      case 'dynamodb:DescribeTable':
        return json({ Table: table?.described })
      case 'dynamodb:DescribeTimeToLive':
        return json({ TimeToLiveDescription: table?.expiry })
      case 'dynamodb:DescribeContinuousBackups':
        return json({
          ContinuousBackupsDescription: {
            PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: table?.isBackedUp ? 'ENABLED' : 'DISABLED' },
          },
        })
      case 'dynamodb:BatchGetItem':
        return json({ Responses: {}, UnprocessedKeys: {} })
      case 'dynamodb:Query':
        return json({ Items: [], Count: 0, ScannedCount: 0 })
      case 'monitoring:DescribeAlarms':
        return json({
          MetricAlarms: input.AlarmNames.map((AlarmName: string) => ({
            ...{ AlarmName, AlarmArn: arn('cloudwatch', `alarm:${AlarmName}`) },
            StateValue: world.ringing.has(AlarmName) ? 'ALARM' : 'OK',
          })),
        })
      default:
        throw new Error(`The stand-in has no ${action}`)
    }
  }

  function ofLambda({ url: path = '' }: IncomingMessage): Reply {
    const [, name = ''] = /functions\/([^/]+)\/invocations/.exec(path) ?? []
    calls.push('lambda:InvokeFunction')
    const wrong = world.invoke(name)
    const headers = wrong ? { 'x-amz-function-error': 'Unhandled' } : {}
    return { type: 'application/json', headers, body: wrong ?? '{"checked":true}' }
  }

  // S3: objects by bucket and key.

  function ofS3({ method = '', url: path = '' }: IncomingMessage, body: Buffer): Reply {
    const { pathname, searchParams } = new URL(path, url)
    const name = decodeURIComponent(pathname.slice(1)).replace(/\/$/, '')
    if (searchParams.has('list-type')) {
      calls.push('s3:ListBucket')
      const prefix = `${name}/${searchParams.get('prefix') ?? ''}`
      const keys = [...files.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(name.length + 1))
      const contents = keys.map((Key) => `<Contents><Key>${Key}</Key><Size>1</Size></Contents>`).join('')
      return {
        body: `<ListBucketResult><Name>${name}</Name>${contents}<IsTruncated>false</IsTruncated></ListBucketResult>`,
      }
    }
    if (searchParams.has('location')) {
      calls.push('s3:GetBucketLocation')
      return { body: `<LocationConstraint>${REGION}</LocationConstraint>` }
    }
    if (method === 'PUT') {
      calls.push('s3:PutObject')
      files.set(name, body)
      return { body: '' }
    }
    if (method === 'POST' && searchParams.has('delete')) {
      calls.push('s3:DeleteObject')
      for (const [, key] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) files.delete(`${name}/${key}`)
      return { body: '<DeleteResult></DeleteResult>' }
    }
    calls.push(name.includes('/') ? 's3:GetObject' : 's3:ListBucket')
    if (!name.includes('/')) return { body: '' }
    const file = files.get(name)
    return file
      ? { body: file, type: 'application/octet-stream' }
      : { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' }
  }

  /** A table with these properties of CloudFormation. */
  const tableAs = (TableName: string, Properties: Any): CloudTable => ({
    described: {
      ...{ TableName, TableArn: arn('dynamodb', `table/${TableName}`), TableStatus: 'ACTIVE' },
      KeySchema: Properties.KeySchema,
      GlobalSecondaryIndexes: Properties.GlobalSecondaryIndexes.map((index: Any) => ({
        ...index,
        IndexStatus: 'ACTIVE',
      })),
      StreamSpecification: { StreamEnabled: true, ...Properties.StreamSpecification },
      LatestStreamArn: arn('dynamodb', `table/${TableName}/stream/1`),
      SSEDescription: { Status: 'ENABLED' },
      DeletionProtectionEnabled: true,
    },
    expiry: { AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' },
    isBackedUp: true,
  })

  const env = {
    ...{ AWS_ENDPOINT_URL: url, AWS_REGION: REGION, AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' },
    AWS_EC2_METADATA_DISABLED: 'true',
  }
  return {
    ...{ url, env, stacks, tables, files, calls, world, tableAs },
    stop: () => void server.close(),
  }
}
