// The permissions boundary: the most that any role of a stage may do. An administrator of the account makes it, and who deploys
// can neither change it nor make roles without it. See docs/boundary-policy.json and docs/operate.md.

import type { Resources } from './gatewayRole.ts'

/** The name of the boundary policy of a stage. It does not begin like the names of the stage's resources. */
export const boundaryOf = (stage: string): string => `RollcallBoundary-${stage}`

/** Gives every role of a template the boundary: also those that the Serverless command makes. */
export function setBoundary(resources: Resources, stage: string): void {
  const boundary = { 'Fn::Sub': `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:policy/${boundaryOf(stage)}` }
  for (const { Type, Properties } of Object.values(resources))
    if (Type === 'AWS::IAM::Role') Properties['PermissionsBoundary'] = boundary
}
