// The roles with which the HTTP API calls functions: a few roles instead of a permission on each function, as a template takes
// 500 resources.

import { chunksOf } from '../../domain/base/parallel.ts'

type Resource = { Type: string; Properties: Record<string, unknown> }
/** The resources of a template, by their logical names. */
export type Resources = Record<string, Resource>

const GATEWAY_ROLE = 'GatewayRole'
/** IAM takes 10,240 characters of policy in a role, and the ARN of a function has up to 120. */
const FUNCTIONS_OF_ROLE = 80

/**
 * Lets the gateway call functions with roles that it assumes: each may invoke exactly the functions of its integrations. It removes
 * the permissions that the Serverless command has created for them.
 */
export function callByRole(resources: Resources): void {
  const isGateways = ({ Type, Properties }: Resource): boolean =>
    Type === 'AWS::Lambda::Permission' && Properties['Principal'] === 'apigateway.amazonaws.com'
  for (const [name, resource] of Object.entries(resources)) if (isGateways(resource)) delete resources[name]
  const integrations = Object.values(resources).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Integration')
  for (const [nth, some] of [...chunksOf(integrations, FUNCTIONS_OF_ROLE)].entries()) {
    const role = nth === 0 ? GATEWAY_ROLE : `${GATEWAY_ROLE}${nth + 1}`
    for (const { Properties } of some) Properties['CredentialsArn'] = { 'Fn::GetAtt': [role, 'Arn'] }
    resources[role] = roleFor(some.map(({ Properties }) => Properties['IntegrationUri']))
  }
}

const roleFor = (functions: readonly unknown[]): Resource => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'apigateway.amazonaws.com' },
          Action: 'sts:AssumeRole',
          // IfExists: AWS does not document that the gateway of an HTTP API names its account. Without the account, a strict
          // condition would refuse every call. Only services of the same account can use a role.
          Condition: { StringEqualsIfExists: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ],
    },
    Policies: [
      {
        PolicyName: 'own',
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: ['lambda:InvokeFunction'], Resource: functions }],
        },
      },
    ],
  },
})
