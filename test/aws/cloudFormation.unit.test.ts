import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tableTemplate } from '../../local/build/yamlFiles.ts'
import { cloudFormation } from '../../local/deploy/cloudFormation.ts'
import type { Template } from '../../local/deploy/tableStack.ts'

// The real client of AWS against an endpoint that answers as CloudFormation does.

type Answer = { status?: number; body: string }
const asked: Record<string, string>[] = []
let answers: Record<string, Answer | Answer[]> = {}

const server = createServer(async (request, response) => {
  const form = Object.fromEntries(new URLSearchParams(await text(request)))
  asked.push(form)
  const planned = answers[form['Action'] ?? ''] ?? fault('InvalidAction', `no answer to ${form['Action']}`)
  const { status = 200, body } = Array.isArray(planned) ? (planned.shift() as Answer) : planned
  response.writeHead(status, { 'content-type': 'text/xml' }).end(body)
})

const ns = 'xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"'
const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const good = (action: string, result = ''): Answer => ({
  body: `<${action}Response ${ns}><${action}Result>${result}</${action}Result></${action}Response>`,
})
const fault = (code: string, message: string, status = 400): Answer => ({
  status,
  body: `<ErrorResponse ${ns}><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
})
const described = (status: string, outputs: Record<string, string> = {}) => {
  const members = Object.entries(outputs).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  )
  const when = '<CreationTime>2026-11-22T10:00:00Z</CreationTime>'
  const stack = `<StackName>t</StackName>${when}<StackStatus>${status}</StackStatus><Outputs>${members.join('')}</Outputs>`
  return good('DescribeStacks', `<Stacks><member>${stack}</member></Stacks>`)
}

const wanted = tableTemplate() as Template
const before = { ...process.env }
const request = { name: 't', template: wanted, parameters: {}, tags: { service: 'rollcall', team: 'people' } }
const stacks = () => cloudFormation('eu-west-1', 0)

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${port}`, AWS_ACCESS_KEY_ID: 'key' },
    ...{ AWS_SECRET_ACCESS_KEY: 'secret', AWS_EC2_METADATA_DISABLED: 'true' },
  })
})
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  server.close()
})
beforeEach(() => {
  asked.length = 0
  answers = {}
})

describe('a stack', () => {
  it('is read with its status, its outputs and its template', async () => {
    answers = {
      DescribeStacks: described('UPDATE_COMPLETE', { TableName: 'orders', TableArn: 'arn:x' }),
      GetTemplate: good('GetTemplate', `<TemplateBody>${escaped(JSON.stringify(wanted))}</TemplateBody>`),
    }
    expect(await stacks().read('t')).toEqual({
      status: 'UPDATE_COMPLETE',
      template: wanted,
      outputs: { TableName: 'orders', TableArn: 'arn:x' },
      parameters: {},
    })
    expect(asked.map(({ Action, StackName }) => [Action, StackName])).toEqual([
      ['DescribeStacks', 't'],
      ['GetTemplate', 't'],
    ])
  })

  it('that does not exist is undefined; any other refusal is thrown', async () => {
    answers = { DescribeStacks: fault('ValidationError', 'Stack with id t does not exist') }
    expect(await stacks().read('t')).toBeUndefined()
    answers = { DescribeStacks: fault('AccessDenied', 'User is not authorized', 403) }
    await expect(stacks().read('t')).rejects.toThrow('User is not authorized')
  })

  it('is made with template, parameters and a tag', async () => {
    answers = { CreateStack: good('CreateStack', '<StackId>id</StackId>') }
    await stacks().create({
      name: 't',
      template: wanted,
      parameters: { DeletionProtection: 'true' },
      tags: { service: 'rollcall' },
    })
    const [{ TemplateBody = '', ...sent } = {}] = asked
    expect(JSON.parse(TemplateBody)).toEqual(wanted)
    expect(sent).toMatchObject({
      StackName: 't',
      'Parameters.member.1.ParameterKey': 'DeletionProtection',
      'Parameters.member.1.ParameterValue': 'true',
      'Tags.member.1.Key': 'service',
      'Tags.member.1.Value': 'rollcall',
    })
  })

  it('is updated, unless nothing has changed; any other refusal is thrown', async () => {
    answers = { UpdateStack: good('UpdateStack', '<StackId>id</StackId>') }
    expect(await stacks().update({ ...request, parameters: { DeletionProtection: 'false' } })).toBe(true)
    expect(asked[0]).toMatchObject({
      ...{ StackName: 't', 'Parameters.member.1.ParameterValue': 'false' },
      ...{ 'Tags.member.2.Key': 'team', 'Tags.member.2.Value': 'people' },
    })
    answers = { UpdateStack: fault('ValidationError', 'No updates are to be performed.') }
    expect(await stacks().update(request)).toBe(false)
    answers = {
      UpdateStack: fault('ValidationError', 'Stack t is in UPDATE_IN_PROGRESS state and can not be updated.'),
    }
    await expect(stacks().update(request)).rejects.toThrow('UPDATE_IN_PROGRESS')
  })

  it('is protected, and removed', async () => {
    answers = {
      UpdateTerminationProtection: good('UpdateTerminationProtection', '<StackId>id</StackId>'),
      SetStackPolicy: good('SetStackPolicy'),
      DeleteStack: good('DeleteStack'),
    }
    await stacks().protect('t')
    await stacks().remove('t')
    expect(asked).toMatchObject([
      { Action: 'UpdateTerminationProtection', StackName: 't', EnableTerminationProtection: 'true' },
      { Action: 'SetStackPolicy', StackName: 't', StackPolicyBody: expect.stringContaining('LogicalResourceId/Table') },
      { Action: 'DeleteStack', StackName: 't' },
    ])
  })

  it('is asked for again when CloudFormation throttles, as it does while somebody waits', async () => {
    const busy = fault('Throttling', 'Rate exceeded')
    answers = {
      DescribeStacks: [busy, described('UPDATE_IN_PROGRESS')],
      GetTemplate: good('GetTemplate', '<TemplateBody>{}</TemplateBody>'),
    }
    expect(await stacks().read('t')).toMatchObject({ status: 'UPDATE_IN_PROGRESS', outputs: {} })
    expect(asked).toHaveLength(3)
  })
})
