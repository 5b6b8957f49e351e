import { describe, expect, it } from 'vitest'
import { type Asked, arnOf, isAllowedBy, policyOf } from './iam.ts'

// What the deployer of a stage may do to the account and to other stages: requests as an intruder with its credentials would
// send them, or have CloudFormation send them.

const policies = [policyOf('deployer-policy', 'dev'), policyOf('deployer-tagged-policy', 'dev')]
const boundary = policyOf('boundary-policy', 'dev')
const via = { 'aws:CalledVia': 'cloudformation.amazonaws.com' }
const global: [string, string] = ['', '123456789012']
const role = (name: string) => arnOf('iam', `role/${name}`, global)
const policy = (name: string) => arnOf('iam', `policy/${name}`, global)
const own = { 'iam:PermissionsBoundary': policy('RollcallBoundary-dev') }
const ownRole = role('rollcall-dev-EndpointsWriteRole-ABC')
const administrator = 'arn:aws:iam::aws:policy/AdministratorAccess'
const backups = 'arn:aws:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup'
const asked = (action: string, resource: string, context: Asked['context'] = {}): Asked => ({
  ...{ action, resource },
  context: { ...via, ...context },
})

describe('a deployer cannot become an administrator', () => {
  it.each<[string, Asked, Asked]>([
    ['a role has the boundary', asked('iam:CreateRole', ownRole, own), asked('iam:CreateRole', ownRole)],
    [
      'the boundary is that of the stage',
      asked('iam:CreateRole', ownRole, own),
      asked('iam:CreateRole', ownRole, { 'iam:PermissionsBoundary': administrator }),
    ],
    [
      'statements are only for roles with the boundary',
      asked('iam:PutRolePolicy', ownRole, own),
      asked('iam:PutRolePolicy', ownRole),
    ],
    [
      'only AWS’s policy of backups is attached',
      asked('iam:AttachRolePolicy', role('rollcall-dev-table-BackupRole-A'), { ...own, 'iam:PolicyARN': backups }),
      asked('iam:AttachRolePolicy', role('rollcall-dev-table-BackupRole-A'), {
        ...own,
        'iam:PolicyARN': administrator,
      }),
    ],
    [
      'a boundary can be set, and is that of the stage',
      asked('iam:PutRolePermissionsBoundary', ownRole, own),
      asked('iam:PutRolePermissionsBoundary', ownRole, { 'iam:PermissionsBoundary': administrator }),
    ],
    [
      'a boundary is not taken away',
      asked('iam:PutRolePermissionsBoundary', ownRole, own),
      asked('iam:DeleteRolePermissionsBoundary', ownRole, own),
    ],
    [
      'only roles of the stage are passed',
      asked('iam:PassRole', ownRole, { 'iam:PassedToService': 'lambda.amazonaws.com' }),
      asked('iam:PassRole', role('Administrator'), { 'iam:PassedToService': 'lambda.amazonaws.com' }),
    ],
    [
      'roles are passed to services that use them',
      asked('iam:PassRole', ownRole, { 'iam:PassedToService': 'lambda.amazonaws.com' }),
      asked('iam:PassRole', ownRole, { 'iam:PassedToService': 'ec2.amazonaws.com' }),
    ],
    [
      'only CloudFormation makes roles',
      asked('iam:CreateRole', ownRole, own),
      { action: 'iam:CreateRole', resource: ownRole, context: own },
    ],
  ])('%s', (_rule, allowed, denied) => {
    expect(isAllowedBy(policies, allowed)).toBe(true)
    expect(isAllowedBy(policies, denied)).toBe(false)
  })

  it.each(['CreatePolicyVersion', 'DeletePolicy', 'DeletePolicyVersion', 'SetDefaultPolicyVersion', 'CreatePolicy'])(
    'the boundary and the deployer stay as they are: no %s',
    (action) => {
      for (const name of ['RollcallBoundary-dev', 'RollcallDeployer-dev'])
        expect(isAllowedBy(policies, asked(`iam:${action}`, policy(name), own))).toBe(false)
    },
  )

  it.each(['AttachRolePolicy', 'CreateRole', 'PutRolePolicy', 'UpdateAssumeRolePolicy', 'DeleteRole'])(
    'the role of the deployer stays as it is: no %s',
    (action) => {
      const context = { ...own, 'iam:PolicyARN': backups }
      expect(isAllowedBy(policies, asked(`iam:${action}`, role('RollcallDeployer-dev'), context))).toBe(false)
    },
  )

  it('the boundary gives no role more than the service needs', () => {
    const wanted: [string, string][] = [
      ['iam:CreateRole', ownRole],
      ['sts:AssumeRole', role('Administrator')],
      ['lambda:UpdateFunctionCode', arnOf('lambda', 'function:rollcall-dev-getUser')],
      ['dynamodb:DeleteTable', arnOf('dynamodb', 'table/rollcall-dev-table-Table-A')],
      ['s3:GetObject', 'arn:aws:s3:::rollcall-prod-serverlessdeploymentbucket-a/x'],
    ]
    for (const [action, resource] of wanted) expect(isAllowedBy([boundary], { action, resource })).toBe(false)
  })
})

describe('a deployer does not reach another stage', () => {
  const lambda = (stage: string) => arnOf('lambda', `function:rollcall-${stage}-getUser`)
  const bucket = (stage: string) => `arn:aws:s3:::rollcall-${stage}-serverlessdeploymentbucket-a1`
  const tag = (stage: string) => ({ 'aws:ResourceTag/STAGE': stage })
  const named: Record<string, (stage: string) => Asked> = {
    'its table': (stage) => asked('dynamodb:Query', arnOf('dynamodb', `table/rollcall-${stage}-table-Table-A`)),
    'changes of its table': (stage) =>
      asked('dynamodb:UpdateTable', arnOf('dynamodb', `table/rollcall-${stage}-table-Table-A`)),
    'its stack': (stage) => asked('cloudformation:UpdateStack', arnOf('cloudformation', `stack/rollcall-${stage}/1`)),
    'the stack of its table': (stage) =>
      asked('cloudformation:DeleteStack', arnOf('cloudformation', `stack/rollcall-${stage}-table/1`)),
    'the code of its functions': (stage) => asked('lambda:UpdateFunctionCode', lambda(stage)),
    'its check': (stage) =>
      asked('lambda:InvokeFunction', arnOf('lambda', `function:rollcall-${stage}-checkDeployment`)),
    'its stream': (stage) => asked('lambda:CreateEventSourceMapping', '*', { 'lambda:FunctionArn': lambda(stage) }),
    'its logs': (stage) => asked('logs:DeleteLogGroup', arnOf('logs', `log-group:/aws/lambda/rollcall-${stage}:*`)),
    'the log of its gateway': (stage) =>
      asked('logs:DeleteLogGroup', arnOf('logs', `log-group:/aws/http-api/rollcall-${stage}`)),
    'its packages': (stage) => asked('s3:PutObject', `${bucket(stage)}/x.zip`),
    'its bucket': (stage) => asked('s3:PutBucketPolicy', bucket(stage)),
    'its roles': (stage) => asked('iam:UpdateAssumeRolePolicy', role(`rollcall-${stage}-PurgeRole-A`)),
    'its queue': (stage) => asked('sqs:SetQueueAttributes', arnOf('sqs', `rollcall-${stage}-FailedEvents-A`)),
    'its alarms': (stage) => asked('cloudwatch:DeleteAlarms', arnOf('cloudwatch', `alarm:rollcall-${stage}-SlowCalls`)),
    'its schedule': (stage) => asked('events:PutTargets', arnOf('events', `rule/rollcall-${stage}-Purge-A`)),
    'its vault': (stage) => asked('backup:TagResource', arnOf('backup', `backup-vault:rollcall-${stage}-table`)),
    'its keys': (stage) => asked('kms:PutKeyPolicy', arnOf('kms', 'key/1'), tag(stage)),
    'its secrets': (stage) =>
      asked('secretsmanager:GetSecretValue', arnOf('secretsmanager', 'secret:OriginPath-A'), tag(stage)),
    'the tag of its keys': (stage) =>
      asked('kms:TagResource', arnOf('kms', 'key/1'), { ...tag(stage), 'aws:RequestTag/STAGE': 'dev' }),
    'the tag of its secrets': (stage) =>
      asked('secretsmanager:TagResource', arnOf('secretsmanager', 'secret:OriginPath-A'), {
        ...{ ...tag(stage), 'aws:RequestTag/STAGE': 'dev' },
      }),
    'its API': (stage) => asked('apigateway:PATCH', 'arn:aws:apigateway:eu-central-1::/apis/a1', tag(stage)),
  }

  it.each(Object.entries(named))('not %s', (_what, of) => {
    expect(isAllowedBy(policies, of('dev'))).toBe(true)
    for (const other of ['prod', 'dev2', 'de', 'predev']) expect(isAllowedBy(policies, of(other)), other).toBe(false)
  })

  const reached: Record<string, (stage: string) => Asked> = {
    'the table': (stage) => ({
      action: 'dynamodb:Query',
      resource: arnOf('dynamodb', `table/rollcall-${stage}-table-Table-A/index/find`),
    }),
    'the functions': (stage) => ({ action: 'lambda:InvokeFunction', resource: lambda(stage) }),
    'the secrets of webhooks': (stage) => ({
      action: 'kms:Decrypt',
      resource: arnOf('kms', 'key/1'),
      context: tag(stage),
    }),
    'the logs': (stage) => ({
      action: 'logs:PutLogEvents',
      resource: arnOf('logs', `log-group:/aws/lambda/rollcall-${stage}:log-stream:1`),
    }),
  }
  it.each(Object.entries(reached))('nor do the roles that it makes reach %s', (_what, of) => {
    expect(isAllowedBy([boundary], of('dev'))).toBe(true)
    for (const other of ['prod', 'dev2', 'de']) expect(isAllowedBy([boundary], of(other)), other).toBe(false)
  })

  it('keys and secrets without the tag of a stage are nobody’s', () => {
    for (const action of ['kms:Decrypt', 'kms:PutKeyPolicy', 'kms:CreateKey'])
      expect(isAllowedBy(policies, asked(action, arnOf('kms', 'key/1')))).toBe(false)
  })
})

describe('the policies fit into a role', () => {
  // White space does not count. A long name of a stage and of a region.
  const lengthOf = (name: string) => {
    const text = JSON.stringify(policyOf(name, 'a-stage-of-twenty-3'))
    return text.replaceAll('eu-central-1', 'ap-southeast-1').length
  }
  it.each([
    ['deployer-policy', 10_240],
    ['deployer-tagged-policy', 6_144],
    ['boundary-policy', 6_144],
  ])('%s has at most %i characters', (name, most) => expect(lengthOf(name)).toBeLessThanOrEqual(most))
})
