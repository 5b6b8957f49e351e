import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloneTo, serverless } from './clone.ts'

/** The service as `serverless package` leaves it. */
export type Packaged = {
  /** The fresh clone in which the command ran. */
  clone: string
  /** The templates, and a zip for each function. */
  folder: string
  /** What the command printed. */
  output: string
}

export const userPool = 'arn:aws:cognito-idp:eu-central-1:123456789012:userpool/eu-central-1_aB3'
export const certificate = 'arn:aws:acm:eu-central-1:123456789012:certificate/1'
export const key = 'arn:aws:kms:eu-central-1:123456789012:key/1'

/** All that a stack may have. */
const parameters = {
  userPoolArn: userPool,
  alarmEmail: 'ops@example.org',
  corsOrigins: 'https://app.example.org',
  console: 'true',
  consoleClientId: 'console',
  consoleScopes: 'openid offline_access',
  consoleAudience: 'rollcall',
  consoleOrigins: 'https://auth.example.org,https://login.example.org',
  tokenIssuer: 'https://issuer.example.org',
  tokenAudience: 'rollcall,tool',
  domainName: 'api.example.org',
  certificateArn: certificate,
  defaultAddress: 'false',
  tracing: 'true',
  edge: 'true',
  apiAddress: 'https://api.example.org',
  reservedForLogins: '20',
  reservedForWork: '10',
  reservedForPurge: '1',
  reservedForDeliveries: '3',
  provisionedForLogins: '2',
  importBucket: 'our-files',
  importKeyArn: key,
  tags: 'team=people',
}

/** Packages the service in a new clone, for a stack with all that it may have. `remove` deletes the clone. */
export async function packageService(): Promise<Packaged & { remove: () => void }> {
  const clone = mkdtempSync(join(tmpdir(), 'clone-'))
  const remove = () => rmSync(clone, { recursive: true, force: true })
  try {
    cloneTo(clone)
    const folder = join(clone, 'packaged')
    const options = Object.entries(parameters).map(([name, value]) => `--param=${name}=${value}`)
    const { stdout, stderr } = await serverless(clone, 'package', '--package', folder, ...options)
    return { clone, folder, output: stdout + stderr, remove }
  } catch (error) {
    remove()
    throw error
  }
}
