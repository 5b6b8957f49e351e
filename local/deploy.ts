// npm run deploy -- --stage STAGE: deploys the table and the functions to AWS.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { workPolicy } from '../domain/table/dynamo.ts'
import { openStore } from '../domain/table/openStore.ts'
import { DEPLOYED, type Deployed } from './build/deploymentPlugin.ts'
import { parameterFaults, readStageFile, stageFileOf, valuesOf } from './build/stageParameters.ts'
import { serviceFunctions, tableTemplate } from './build/yamlFiles.ts'
import { cloudFormation } from './deploy/cloudFormation.ts'
import { deploy } from './deploy/deploy.ts'
import { describeTable } from './deploy/existingTable.ts'
import { keepFormerFiles } from './deploy/keepFormerConsole.ts'
import { command, failed, said } from './shared/command.ts'
import { root } from './shared/root.ts'

const help = `Usage: npm run deploy -- --stage STAGE [--region REGION] [--param NAME=VALUE …] [--change NAME …]

Deploys to AWS, with the credentials of the environment: first the table, in a separate stack, one index after the other;
then the functions, which are checked and rolled back if they do not work; then they migrate the items, while the service
goes on. It can be interrupted and repeated. The parameters of the stage are in stages/STAGE.yml.

--param NAME=VALUE             overrides a parameter of the file
--change NAME                  agrees that this parameter loses a value, or changes who may call
--table NAME --instead-of OLD  switches the stage to this table, for example a restored one; OLD stays as it is
--adopt NAME                   adopts the table that the stage uses in its stack
--no-deletion-protection       allows the table to be deleted

The default region is eu-central-1.
`

/** Milliseconds. The Serverless command reads the same variable. */
const betweenLooks = Number(process.env['SLS_AWS_MONITORING_FREQUENCY'] || 5_000)

const run = async (): Promise<number> => {
  const { values: options } = parseArgs({
    allowNegative: true,
    options: {
      stage: { type: 'string' },
      region: { type: 'string', default: 'eu-central-1' },
      param: { type: 'string', multiple: true, default: [] },
      change: { type: 'string', multiple: true, default: [] },
      table: { type: 'string' },
      'instead-of': { type: 'string' },
      adopt: { type: 'string' },
      'deletion-protection': { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const { stage, region, param: params } = options
  if (options.help) return said(help)
  if (!stage) return failed(help)
  const file = readStageFile(root, stage)
  if (!file)
    return failed(
      `There is no ${stageFileOf(stage)}. Copy stages/example.yml, put the stage's values in, and commit it.`,
    )
  const input = { stage, file, options: params }
  const faults = parameterFaults(input, Object.keys(serviceFunctions()))
  if (faults.length > 0) return failed(faults.join('\n'))
  await deploy(
    {
      stacks: cloudFormation(region, betweenLooks),
      describe: (name) => describeTable(region, name),
      store: (name) => openStore({ client: documents(region), name, newToken: randomUUID, policy: workPolicy }),
      alarms: (names) => alarms(region, names),
      get,
      invoke: (name) => invoke(region, name),
      file: (place) => fileOf(region, place),
      keepConsole: (deployed) => keepFormerFiles(root, deployed),
      clock: () => new Date(),
      serverless,
      say: console.log,
    },
    {
      ...{ stage, region, params, values: valuesOf(input), change: options.change },
      ...{ table: options.table, insteadOf: options['instead-of'], adopt: options.adopt },
      ...{ isProtected: options['deletion-protection'], template: tableTemplate() },
    },
  )
  return 0
}

async function serverless(args: readonly string[], deployed?: Deployed): Promise<void> {
  const env = { ...process.env, ...(deployed ? { [DEPLOYED]: JSON.stringify(deployed) } : {}) }
  const command = [`${root}node_modules/serverless/bin/serverless.js`, ...args]
  const [code] = await once(spawn(process.execPath, command, { cwd: root, stdio: 'inherit', env }), 'exit')
  if (code !== 0) throw new Error(`serverless ${args[0]} ended with ${code}.`)
}

const documents = (region: string) =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ region }), { marshallOptions: { removeUndefinedValues: true } })

async function alarms(region: string, AlarmNames: readonly string[]) {
  const answer = await new CloudWatchClient({ region }).send(new DescribeAlarmsCommand({ AlarmNames: [...AlarmNames] }))
  return (answer.MetricAlarms ?? []).map(({ AlarmName = '', AlarmArn = '', StateValue }) => ({
    name: AlarmName,
    arn: AlarmArn,
    isRinging: StateValue === 'ALARM',
  }))
}

async function invoke(region: string, FunctionName: string): Promise<void> {
  const answer = await new LambdaClient({ region }).send(new InvokeCommand({ FunctionName }))
  const text = answer.Payload?.transformToString() ?? ''
  if (answer.FunctionError) throw new Error(`${FunctionName} fails with ${text}`)
}

async function fileOf(region: string, { bucket, key }: { bucket: string; key: string }): Promise<Uint8Array> {
  const { Body } = await new S3Client({ region }).send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  if (!Body) throw new Error(`S3 has no ${key}`)
  return Body.transformToByteArray()
}

const LONGEST_WAIT_MS = 15_000

async function get(url: string): Promise<{ status: number; body: string }> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(LONGEST_WAIT_MS) })
  return { status: answer.status, body: await answer.text() }
}

await command(run)
