import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Judges templates by cdk-nag: AWS's rules for secure stacks, and those for serverless ones. It needs aws-cdk-lib, 160 MB, so
// it is in the separate package test/checks. It is loaded without its types, which would slow each check of types by seconds.

const checks = new URL('../checks/', import.meta.url)

/** Whether cdk-nag is installed. */
export const areRulesInstalled = existsSync(new URL('node_modules/.package-lock.json', checks))

type Violation = { ruleName: string; description: string; violatingResources: { constructPath: string }[] }
type Pack = new () => { validateScope: (scope: object) => { violations: Violation[] } }

/** Resources that need not keep a rule, and why. */
export type Exception = { rule: string; on: RegExp; why: string }

/** Resources that break a rule without being excepted, as `rule resource`, and the exceptions that excuse nothing. */
export function brokenRules(template: object, exceptions: readonly Exception[]): { broken: string[]; idle: string[] } {
  const all = violationsIn(template)
  const covers = ({ rule, on }: Exception, one: { rule: string; resource: string }) =>
    rule === one.rule && on.test(one.resource)
  const broken = all.filter((one) => !exceptions.some((exception) => covers(exception, one)))
  const idle = exceptions.filter((exception) => !all.some((one) => covers(exception, one)))
  return {
    broken: broken.map(({ rule, resource, says }) => `${rule} ${resource}: ${says}`),
    idle: idle.map(({ rule, why }) => `${rule}: ${why}`),
  }
}

function violationsIn(template: object): { rule: string; resource: string; says: string }[] {
  const load = createRequire(new URL('package.json', checks))
  const { App, Stack } = load('aws-cdk-lib/core')
  const { CfnInclude } = load('aws-cdk-lib/cloudformation-include')
  const { AwsSolutionsChecks, ServerlessChecks } = load('cdk-nag') as Record<string, Pack>
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  try {
    const templateFile = join(folder, 'template.json')
    writeFileSync(templateFile, JSON.stringify(template))
    const stack = new Stack(new App({ outdir: folder, analyticsReporting: false }), 'Stack')
    new CfnInclude(stack, 'Template', { templateFile })
    return [AwsSolutionsChecks, ServerlessChecks].flatMap((Checks) =>
      (Checks ? new Checks() : { validateScope: () => ({ violations: [] }) })
        .validateScope(stack)
        .violations.flatMap(({ ruleName: rule, description: says, violatingResources }) =>
          violatingResources.map(({ constructPath }) => ({
            rule,
            resource: constructPath.split('/').at(-1) ?? '',
            says,
          })),
        ),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
