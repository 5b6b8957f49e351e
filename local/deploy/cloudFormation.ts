import { setTimeout } from 'node:timers/promises'
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  UpdateStackCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation'
import type { Parameters, Stacks, Template } from './tableStack.ts'

const BETWEEN_LOOKS_MS = 5_000

/** The stacks of a region, with the credentials of the environment, a profile or a login. */
export function cloudFormation(region: string): Stacks {
  const client = new CloudFormationClient({ region })
  const request = (StackName: string, template: Template, parameters: Parameters) => ({
    StackName,
    TemplateBody: JSON.stringify(template),
    Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
  })
  return {
    read: async (StackName) => {
      const described = await client.send(new DescribeStacksCommand({ StackName })).catch(unless(/does not exist/))
      const [stack] = described?.Stacks ?? []
      if (!stack) return undefined
      const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }))
      const outputs = (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue])
      const template = JSON.parse(TemplateBody) as Template
      return { status: stack.StackStatus ?? '', template, outputs: Object.fromEntries(outputs) }
    },
    create: async (name, template, parameters) => {
      const Tags = [{ Key: 'service', Value: 'rollcall' }]
      await client.send(new CreateStackCommand({ ...request(name, template, parameters), Tags }))
    },
    update: async (name, template, parameters) => {
      const update = new UpdateStackCommand(request(name, template, parameters))
      return (await client.send(update).catch(unless(/No updates/))) !== undefined
    },
    protect: async (StackName) => {
      await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: true }))
    },
    remove: async (StackName) => {
      await client.send(new DeleteStackCommand({ StackName }))
    },
    pause: () => setTimeout(BETWEEN_LOOKS_MS),
  }
}

/** Passes over an error that only says how things are; any other is thrown. */
const unless =
  (message: RegExp) =>
  (error: Error): undefined => {
    if (!message.test(error.message)) throw error
  }
