// Takes the place of parts of packages that Lambda never runs; each export has the name of what it replaces.
// leaveOut.ts puts it into bundles; test/aws/standIns.test.ts compares it with the originals.
import { fromEnv } from '@aws-sdk/credential-provider-env'

/** Lambda provides credentials in the environment. Profiles, single sign-on and metadata services are left out. */
export const defaultProvider = fromEnv

/** A function has no configuration files; looking for them would slow down its first request. */
export const fromSharedConfigFiles = () => async () => {
  throw Object.assign(new Error('No configuration files are read'), { tryNextLink: true })
}

/** A function has its region in the environment, not from a metadata service. */
export const getInstanceMetadataRegion = async (): Promise<undefined> => undefined

const leftOut = (what: string) => {
  throw new Error(`${what} was left out of the bundle: see local/build/standIns.ts`)
}

/** The client uses the standard retry strategy. */
export function AdaptiveRetryStrategy() {
  leftOut('Adaptive retry')
}

/** DynamoDB sends moments as seconds only. */
export const parseEpochTimestamp = (seconds: number): Date => new Date(seconds * 1000)
export const dateToUtcString = () => leftOut('Moments as text')
export const parseRfc3339DateTime = () => leftOut('Moments as text')
export const parseRfc3339DateTimeWithOffset = () => leftOut('Moments as text')
export const parseRfc7231DateTime = () => leftOut('Moments as text')

/** The SDK uses Node's own SHA-256 where it is undefined. */
export const Sha256Js = undefined

/** The client does not discover endpoints. */
export function EndpointCache() {}

// Regions whose addresses end differently.
const suffixes: readonly (readonly [RegExp, string])[] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-/, 'amazonaws.eu'],
  [/^us-iso-/, 'c2s.ic.gov'],
  [/^us-isob-/, 'sc2s.sgov.gov'],
  [/^eu-isoe-/, 'cloud.adc-e.uk'],
  [/^us-isof-/, 'csp.hci.ic.gov'],
]

type Asked = { Endpoint?: string; Region?: string; UseFIPS?: boolean; UseDualStack?: boolean }

/**
 * DynamoDB's address in a region, without the SDK's rules for all services and cases. Throws for FIPS and dual stack.
 */
export function defaultEndpointResolver({ Endpoint, Region = '', UseFIPS, UseDualStack }: Asked) {
  if (UseFIPS || UseDualStack) leftOut('Endpoints of FIPS and dual stack')
  const suffix = suffixes.find(([regions]) => regions.test(Region))?.[1] ?? 'amazonaws.com'
  return { url: new URL(Endpoint ?? `https://dynamodb.${Region}.${suffix}`), properties: {}, headers: {} }
}

/** The data of those rules. */
export const partitionsInfo = { partitions: [] }

/** Requests to DynamoDB have a body only, no parameters in headers or in the path. */
export const getHttpOperationBindings = (): readonly string[] => []
export function HttpBindingNormalizedSchema() {}
export function HeaderFormatter() {}

/** The client has no log. */
export const getLoggerPlugin = () => ({ applyToStack: () => undefined })
export const loggerMiddleware = () => leftOut('A log of the SDK')
export const loggerMiddlewareOptions = {}
export const schemaLogFilter = () => leftOut('A log of the SDK')

/** The SDK would warn of old versions of Node. */
export const emitWarningIfUnsupportedVersion = () => undefined
export const state = {}

export const resolveParamsForS3 = () => leftOut('S3')

/** DynamoDB calls no function back, so requests need not name the functions that led to them. */
export const getRecursionDetectionPlugin = () => ({ applyToStack: () => undefined })

/** No call asks the SDK for all pages. */
export const paginateQuery = () => leftOut('Pagination')
export const paginateScan = paginateQuery

/** cleanHtml does not decode entities, so the parser needs no table of their names. */
export function EntityDecoder() {}
export const DecodingMode = {}
export const htmlDecodeTree = undefined
export const xmlDecodeTree = undefined
