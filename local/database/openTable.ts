import { randomUUID } from 'node:crypto'
import { documentClient } from '../../domain/table/documentClient.ts'
import { workPolicy } from '../../domain/table/dynamo.ts'
import { type OpenStore, openStore } from '../../domain/table/openStore.ts'
import { faultOf } from '../shared/command.ts'

/** Sets the environment to the local table, unless it names another one, and checks that a database answers. */
export async function useLocalTable(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  env.DYNAMODB_ENDPOINT ||= `http://localhost:${env.DYNAMODB_PORT || 8000}`
  env.TABLE_NAME ||= 'rollcall'
  const { DYNAMODB_ENDPOINT: endpoint } = env
  await requireAnswer(endpoint, 'is it running (npm start), and is DYNAMODB_PORT or DYNAMODB_ENDPOINT right?')
}

/** Throws one line, which ends with a question, unless a DynamoDB answers. */
export async function requireAnswer(endpoint: string, question: string): Promise<void> {
  // Any answer will do, even the refusal of this unsigned request.
  if (await fetch(endpoint).then(Boolean, () => false)) return
  throw new Error(`Nothing answers at ${endpoint}: ${question}`)
}

/** The options of every command that opens a table. */
export const tableOptions = { table: { type: 'string' }, aws: { type: 'boolean' } } as const

export const localTableHelp =
  'The table is the local one, unless TABLE_NAME (rollcall), DYNAMODB_PORT (8000) or DYNAMODB_ENDPOINT name another.'

export const tableHelp = `${localTableHelp}
  --table NAME   the table
  --aws          a table of AWS_REGION, with the credentials of the environment`

/**
 * Sets the environment to the table of a command: the local one, or with `aws` a table of AWS. Throws one line if it has no
 * name or does not answer.
 */
export async function useTable({
  table,
  aws,
}: {
  table?: string | undefined
  aws?: boolean | undefined
}): Promise<void> {
  if (table) process.env.TABLE_NAME = table
  if (!aws) return useLocalTable()
  if (!process.env.TABLE_NAME) throw new Error('With --aws, --table or TABLE_NAME must name the table.')
  delete process.env.DYNAMODB_ENDPOINT
}

/** The table that the environment names. */
export const openTable = (env: NodeJS.ProcessEnv = process.env): OpenStore =>
  openStore({ client: documentClient(env), name: env.TABLE_NAME ?? '', newToken: randomUUID, policy: workPolicy })

/** The error of a table, in one line. */
export function tableFault(error: unknown, env: NodeJS.ProcessEnv = process.env): string {
  if ((error as Error | undefined)?.name !== 'ResourceNotFoundException') return faultOf(error)
  const where = env.DYNAMODB_ENDPOINT ?? `AWS (${env.AWS_REGION ?? 'no region'})`
  return `There is no table ${env.TABLE_NAME} at ${where}.`
}
