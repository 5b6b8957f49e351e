import { execFile } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { tableTemplate } from '../../local/build/yamlFiles.ts'
import { cloneEnvironment, cloneTo, leaveFunctions } from './clone.ts'
import { startCloud } from './cloud.ts'

// `npm run deploy` as an operator runs it, with the real Serverless command, against a stand-in of AWS: what it asks of AWS, and
// whether the policy of the deployer in docs/deployer-policy.json allows exactly that.

// biome-ignore lint/suspicious/noExplicitAny: templates and policies are data of any shape
type Any = any

const folder = mkdtempSync(join(tmpdir(), 'clone-'))
let cloud: Awaited<ReturnType<typeof startCloud>>
/** What each run of the command printed. */
let outputs: { missing: string; first: string; refused: string; rolledBack: string; broken: string }
/** The templates of both stacks, from before to after the deployment that could not be packaged. */
let untouched: [before: string, after: string]
/** The console's style sheets of the first deployment, and the former files of the first and the second. */
let consoles: { first: string[]; keptAtFirst: string[]; kept: string[] }
const used = new Set<string>()

const stack = () => cloud.stacks.get('rollcall-prod')
const stageFile = `tokenIssuer: https://issuer.test
tokenAudience: [rollcall, tool]
console: true
consoleClientId: console
alarmEmail: ops@example.org
tags: { team: people }
`
/** What the API answers: the console's page and settings, and a refusal to everybody else. */
const answering = (path: string) => {
  if (path === '/console') return { body: '<script type="module">' }
  if (path === '/console/config.json') return { body: '{"issuer":"https://issuer.test"}' }
  return { status: 401, body: '{"error_code":"UNAUTHENTICATED"}' }
}
/** The files of the console in the stage's last package that are not those of its own page. */
const former = () => readdirSync(join(folder, 'console/before'))

async function run(...args: string[]): Promise<string> {
  const env = { ...cloud.env, ...cloneEnvironment(folder), SLS_AWS_MONITORING_FREQUENCY: '50' }
  const command = ['local/deploy.ts', '--stage', 'prod', '--region', 'eu-west-1', ...args]
  const answer = await promisify(execFile)(process.execPath, command, { cwd: folder, env }).catch((error) => error)
  for (const call of cloud.calls.splice(0)) used.add(call)
  return `${answer.stdout}${answer.stderr}`
}

beforeAll(async () => {
  cloud = await startCloud()
  cloneTo(folder)
  cloud.world.api = answering
  leaveFunctions(
    folder,
    'console',
    'refuseInactiveUser',
    'getOrganisationSettings',
    'purge',
    'importFile',
    'finishWork',
  )
  const missing = await run()
  mkdirSync(join(folder, 'stages'), { recursive: true })
  writeFileSync(join(folder, 'stages/prod.yml'), stageFile)
  const first = await run()
  const styles = () => readdirSync(join(folder, 'console/dist')).filter((name) => name.endsWith('.css'))
  const [firstStyles, keptAtFirst] = [styles(), former()]
  appendFileSync(join(folder, 'console/styles/main.css'), '\nhr { color: red }\n')
  writeFileSync(join(folder, 'stages/prod.yml'), stageFile.replace(/^alarmEmail.*$/m, ''))
  const refused = await run()
  writeFileSync(join(folder, 'stages/prod.yml'), stageFile)
  cloud.world.api = () => ({ status: 500, body: '{}' })
  const rolledBack = await run('--param=requestsPerSecond=77')
  consoles = { first: firstStyles, keptAtFirst, kept: former() }
  appendFileSync(join(folder, 'handlers/organisation/getOrganisationSettings.ts'), "export * from './nowhere.ts'\n")
  const before = JSON.stringify([...cloud.stacks])
  const broken = await run()
  untouched = [before, JSON.stringify([...cloud.stacks])]
  outputs = { missing, first, refused, rolledBack, broken }
})

afterAll(() => {
  cloud?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('npm run deploy', () => {
  it('needs the file of the stage, and says what to do', () => {
    expect(outputs.missing).toContain('There is no stages/prod.yml. Copy stages/example.yml')
  })

  it('makes both stacks with the tags of the stage, and points the functions at the table', () => {
    expect(outputs.first).toContain('prod is deployed with the table rollcall-prod-table-Table-1')
    expect(stack()).toMatchObject({
      parameters: { TableName: 'rollcall-prod-table-Table-1' },
      tags: { service: 'rollcall', team: 'people', STAGE: 'prod' },
    })
    expect(cloud.stacks.get('rollcall-prod-table')).toMatchObject({ isProtected: true, tags: { team: 'people' } })
    expect(stack()?.template.Metadata.Rollcall.parameters.alarmEmail).toBe('ops@example.org')
  })

  it('checks the console, and keeps the files of the deployed one for pages that are open', () => {
    expect(outputs.first).toContain("the console's parameters were not compared: https://issuer.test")
    expect(outputs.first).toMatch(/checked: the console answers at \S+\/console/)
    expect(consoles.keptAtFirst).toEqual([])
    expect(consoles.first.length).toBeGreaterThan(0)
    for (const name of consoles.first)
      expect(consoles.kept).toEqual(expect.arrayContaining([name, `${name}.br`, `${name}.gz`]))
    expect(consoles.kept).not.toContain('index.html')
  })

  it('has CloudFormation watch the alarms in the second deployment, as the first has none', () => {
    expect(outputs.first).not.toContain('CloudFormation watches')
    expect(outputs.rolledBack).toContain('CloudFormation watches 5 alarms')
  })

  it('refuses to take the alarms away', () => {
    expect(outputs.refused).toContain('- alarmEmail: "ops@example.org" would become nothing')
  })

  it('deploys the previous version again if the new one does not work', () => {
    expect(outputs.rolledBack).toContain('the stage has the previous version again: the API answers 500')
    expect(stack()?.template.Metadata.Rollcall.parameters.requestsPerSecond).toBe(1000)
    expect(stack()?.template.Resources.HttpApiStage.Properties.DefaultRouteSettings.ThrottlingRateLimit).toBe(1000)
  })

  it('changes nothing if a handler cannot be bundled, and says why', () => {
    expect(outputs.broken).toMatch(/getOrganisationSettings\.ts.*Could not resolve "\.\/nowhere\.ts"/)
    expect(outputs.broken).toContain('serverless package ended with 1')
    expect(untouched[1]).toBe(untouched[0])
  })
})

describe('the policy of the deployer', () => {
  const statements: Any[] = ['deployer-policy', 'deployer-tagged-policy']
    .flatMap((name) => JSON.parse(readFileSync(`docs/${name}.json`, 'utf8')).Statement)
    .filter(({ Effect }) => Effect === 'Allow')
  const actionsOf = (wanted: (statement: Any) => boolean): string[] =>
    statements.filter(wanted).flatMap(({ Action }) => Action)
  const isCalledVia = ({ Condition }: Any) => Condition?.['ForAnyValue:StringEquals']?.['aws:CalledVia'] !== undefined
  // What IAM calls differently from the API.
  const names: Record<string, string[]> = {
    's3:ListBucket': ['s3:ListBucket'],
    'monitoring:DescribeAlarms': ['cloudwatch:DescribeAlarms'],
    'sts:GetCallerIdentity': [],
  }
  /** What only other uses of the command ask for. */
  const rare = [
    'cloudformation:DeleteStack', // a creation of the table that failed
    ...['dynamodb:DescribeTable', 'dynamodb:DescribeTimeToLive', 'dynamodb:DescribeContinuousBackups'], // another table
    ...['dynamodb:PutItem', 'dynamodb:UpdateItem'], // a migration
    'dynamodb:Query', // a stage whose functions were removed
    's3:DeleteObject', // packages of the sixth deployment before
  ]

  it('allows exactly what the command asks for itself', () => {
    const asked = [...used].flatMap((call) => names[call] ?? [call])
    expect([...new Set([...asked, ...rare])].sort()).toEqual([...new Set(actionsOf((one) => !isCalledVia(one)))].sort())
  })

  it('allows all else to CloudFormation alone, for every type of resource of both templates, and nothing on all resources', () => {
    const services = new Set(actionsOf(isCalledVia).map((action) => action.split(':')[0]))
    const types = [...Object.values<Any>(stack()?.template.Resources), ...Object.values<Any>(tableTemplate().Resources)]
    const service: Record<string, string> = {
      ...{
        ApiGatewayV2: 'apigateway',
        CloudWatch: 'cloudwatch',
        SecretsManager: 'secretsmanager',
        SQS: 'sqs',
        SNS: 'sns',
      },
      ...{
        Lambda: 'lambda',
        Logs: 'logs',
        IAM: 'iam',
        Events: 'events',
        S3: 's3',
        DynamoDB: 'dynamodb',
        KMS: 'kms',
        Backup: 'backup',
      },
    }
    for (const { Type } of types) {
      const [, name = ''] = Type.split('::')
      expect(services, Type).toContain(service[name])
    }
    expect(actionsOf(() => true).filter((action) => /^\*|:\*$/.test(action))).toEqual([])
    // Names of these begin with the stage's stack; the others have a comment in `Sid`.
    const wide = statements.filter(({ Resource }) => [Resource].flat().includes('*')).map(({ Sid }) => Sid)
    expect(wide).toEqual([
      ...['ReadWhatHasNoName', 'CloudFormationMakesKeys', 'CloudFormationOnStreams', 'CloudFormationOnWhatHasNoName'],
    ])
  })

  it('passes roles to the services that use them only', () => {
    const [passing, ...others] = statements.filter(({ Action }) => [Action].flat().includes('iam:PassRole'))
    expect(others).toEqual([])
    expect(passing.Condition.StringEquals['iam:PassedToService'].sort()).toEqual([
      ...['apigateway.amazonaws.com', 'backup.amazonaws.com', 'lambda.amazonaws.com'],
    ])
  })
})

describe('the example of a workflow', () => {
  const workflow = parse(readFileSync('.github/deploy.example.yml', 'utf8'))

  const { jobs, permissions } = workflow
  const commandsOf = ({ steps }: Any): string[] => steps.flatMap(({ run: command }: Any) => command ?? [])

  it('gets its credentials by OIDC, keeps no keys, and deploys a stage at a time', () => {
    const { deploy } = jobs
    expect(deploy.environment).toBeDefined()
    expect(deploy.concurrency['cancel-in-progress']).toBe(false)
    const text = JSON.stringify(workflow)
    expect(text).toContain('role-to-assume')
    expect(text).not.toMatch(/secrets\.|ACCESS_KEY/)
    expect(commandsOf(deploy).at(-1)).toMatch(/^npm run deploy -- --stage /)
  })

  it('installs packages where no credentials can be had, and nothing where they can', () => {
    expect(permissions).toEqual({})
    expect(jobs.package.permissions).toEqual({ contents: 'read' })
    expect(jobs.deploy.permissions).toEqual({ 'id-token': 'write' })
    expect(jobs.deploy.needs).toBe('package')
    expect(commandsOf(jobs.package)).toContain('npm ci')
    expect(commandsOf(jobs.deploy).join()).not.toMatch(/npm (ci|i|install)|npx/)
    expect(JSON.stringify(jobs.deploy)).not.toContain('actions/checkout')
  })

  it('pins actions to commits, and puts no input into a command', () => {
    const uses = Object.values<Any>(jobs).flatMap(({ steps }) => steps.flatMap((step: Any) => step.uses ?? []))
    expect(uses.length).toBe(6)
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
    for (const command of Object.values<Any>(jobs).flatMap(commandsOf)) expect(command).not.toContain('${{')
  })
})
