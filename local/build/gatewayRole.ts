// Who calls the functions of the HTTP API: one role in place of a permission on each function, as a template takes 500 resources.

type Resource = { Type: string; Properties: Record<string, unknown> }
/** The resources of a template, by their logical names. */
export type Resources = Record<string, Resource>

export const GATEWAY_ROLE = 'GatewayRole'

/**
 * Lets the gateway call functions by one role that it assumes: the role may invoke exactly the functions of the
 * integrations. The permissions that the Serverless command has made for them go.
 */
export function callByRole(resources: Resources): void {
  const isGateways = ({ Type, Properties }: Resource): boolean =>
    Type === 'AWS::Lambda::Permission' && Properties['Principal'] === 'apigateway.amazonaws.com'
  for (const [name, resource] of Object.entries(resources)) if (isGateways(resource)) delete resources[name]
  const integrations = Object.values(resources).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Integration')
  for (const { Properties } of integrations) Properties['CredentialsArn'] = { 'Fn::GetAtt': [GATEWAY_ROLE, 'Arn'] }
  resources[GATEWAY_ROLE] = roleFor(integrations.map(({ Properties }) => Properties['IntegrationUri']))
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
          // If it exists: AWS does not document that the gateway of an HTTP API names its account, and without it every
          // call would fail. A role can be used by services of its account only.
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
