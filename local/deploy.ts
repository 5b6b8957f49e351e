// npm run deploy -- --stage STAGE: deploys the table and the functions to AWS.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { dynamoStore } from '../domain/table/dynamo.ts'
import { DEPLOYING } from './build/deployment.ts'
import { tableTemplate } from './build/serviceFile.ts'
import { command, failed, said } from './command.ts'
import { cloudFormation } from './deploy/cloudFormation.ts'
import { deploy } from './deploy/deploy.ts'
import type { Described } from './deploy/tableStack.ts'

const help = `Usage: npm run deploy -- --stage STAGE [--region REGION] [--param NAME=VALUE …] [--table NAME]

Deploys to AWS, with the credentials of the environment: first the table, a stack of its own, one index after the other;
then the functions; then they migrate the items, while the service goes on. It can be interrupted and repeated.

--param NAME=VALUE         a parameter of serverless.yml, docs/operate.md lists them
--table NAME               points the stage at this table, a restored one for example, and leaves its own as it is
--no-deletion-protection   lets the table be deleted

Without --region it is eu-central-1.
`

const root = fileURLToPath(new URL('..', import.meta.url))

const run = async (): Promise<number> => {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      stage: { type: 'string' },
      region: { type: 'string', default: 'eu-central-1' },
      param: { type: 'string', multiple: true, default: [] },
      table: { type: 'string' },
      'deletion-protection': { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const { stage, region, param, table } = values
  if (values.help) return said(help)
  if (!stage) return failed(help)
  await deploy(
    {
      stacks: cloudFormation(region),
      describe: (name) => describe(region, name),
      store: (name) => dynamoStore({ client: documents(region), name, newToken: randomUUID }),
      now: () => new Date(),
      serverless,
      say: console.log,
    },
    { stage, region, params: param, table, isProtected: values['deletion-protection'], template: tableTemplate() },
  )
  return 0
}

async function serverless(args: readonly string[]): Promise<void> {
  const env = { ...process.env, [DEPLOYING]: 'yes' }
  const command = [`${root}node_modules/serverless/bin/serverless.js`, ...args]
  const [code] = await once(spawn(process.execPath, command, { cwd: root, stdio: 'inherit', env }), 'exit')
  if (code !== 0) throw new Error(`serverless ${args[0]} ended with ${code}.`)
}

const documents = (region: string) =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ region }), { marshallOptions: { removeUndefinedValues: true } })

async function describe(region: string, TableName: string): Promise<Described> {
  const { Table } = await new DynamoDBClient({ region }).send(new DescribeTableCommand({ TableName }))
  return Table ?? {}
}

await command(run)
