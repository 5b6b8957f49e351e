import { setTimeout } from 'node:timers/promises'
import {
  CloudFormationClient,
  CreateChangeSetCommand,
  CreateStackCommand,
  DeleteChangeSetCommand,
  DeleteStackCommand,
  DescribeChangeSetCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  GetTemplateCommand,
  SetStackPolicyCommand,
  UpdateStackCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation'
import type { Parameters, Stacks, Template } from './tableStack.ts'
import { TABLE, type Wanted } from './tableStack.ts'

const IMPORT = 'adopt'

const policy = (...statements: object[]): string => JSON.stringify({ Statement: statements })
const allowed = { Effect: 'Allow', Action: 'Update:*', Principal: '*', Resource: '*' }
/** No update of the stack may replace or delete the table: the stage would continue with an empty one. */
const keepTable = policy(allowed, {
  Effect: 'Deny',
  Action: ['Update:Replace', 'Update:Delete'],
  Principal: '*',
  Resource: `LogicalResourceId/${TABLE}`,
})

/** The stacks of a region. Uses the credentials of the environment, a profile or a login, and checks progress every `pauseMs`. */
export function cloudFormation(region: string, pauseMs: number): Stacks {
  const client = new CloudFormationClient({ region })
  const request = ({ name, template, parameters, tags }: Wanted) => ({
    StackName: name,
    TemplateBody: JSON.stringify(template),
    Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    // The role of AWS Backup.
    Capabilities: ['CAPABILITY_IAM' as const],
  })
  const pause = () => setTimeout(pauseMs)
  return {
    read: async (StackName) => {
      const described = await client.send(new DescribeStacksCommand({ StackName })).catch(unless(/does not exist/))
      const [stack] = described?.Stacks ?? []
      if (!stack) return undefined
      const { TemplateBody } = await client.send(new GetTemplateCommand({ StackName }))
      return {
        status: stack.StackStatus ?? '',
        // A stack whose first change set was never executed has none.
        template: JSON.parse(TemplateBody || '{"Resources":{}}') as Template,
        outputs: valuesOf(stack.Outputs, ({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
        parameters: valuesOf(stack.Parameters, ({ ParameterKey, ParameterValue }) => [ParameterKey, ParameterValue]),
      }
    },
    create: async (wanted) => {
      await client.send(new CreateStackCommand({ ...request(wanted), StackPolicyBody: keepTable }))
    },
    update: async (wanted, { releasesTable = false } = {}) => {
      const during = releasesTable ? { StackPolicyDuringUpdateBody: policy(allowed) } : {}
      const update = new UpdateStackCommand({ ...request(wanted), ...during })
      return (await client.send(update).catch(unless(/No updates/))) !== undefined
    },
    adopt: async (wanted, tableName) => {
      const names = { StackName: wanted.name, ChangeSetName: IMPORT }
      // An interrupted command may have left one.
      await client.send(new DeleteChangeSetCommand(names)).catch(unless(/does not exist/))
      const imported = {
        ResourceType: 'AWS::DynamoDB::Table',
        LogicalResourceId: TABLE,
        ResourceIdentifier: { TableName: tableName },
      }
      await client.send(
        new CreateChangeSetCommand({
          ...{ ...request(wanted), ...names, ChangeSetType: 'IMPORT' },
          ResourcesToImport: [imported],
        }),
      )
      for (;;) {
        const { Status, StatusReason } = await client.send(new DescribeChangeSetCommand(names))
        if (Status === 'CREATE_COMPLETE') break
        if (Status === 'FAILED') throw new Error(`CloudFormation cannot adopt ${tableName}: ${StatusReason}`)
        await pause()
      }
      await client.send(new ExecuteChangeSetCommand(names))
    },
    protect: async (StackName) => {
      await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: true }))
      await client.send(new SetStackPolicyCommand({ StackName, StackPolicyBody: keepTable }))
    },
    remove: async (StackName) => {
      await client.send(new DeleteStackCommand({ StackName }))
    },
    pause,
  }
}

const valuesOf = <T>(
  all: readonly T[] | undefined,
  pair: (one: T) => [name?: string | undefined, value?: string | undefined],
): Parameters => Object.fromEntries((all ?? []).map(pair).map(([name = '', value = '']) => [name, value]))

/** Ignores errors with this message; any other is thrown. */
const unless =
  (message: RegExp) =>
  (error: Error): undefined => {
    if (!message.test(error.message)) throw error
  }
