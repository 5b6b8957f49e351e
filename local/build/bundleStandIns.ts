// Replaces the files that leaveOut.ts lists; each export has the name of the one that it replaces. test/aws/bundleStandIns.test.ts
// compares a bundle with them with the packages themselves.
import { fromEnv } from '@aws-sdk/credential-provider-env'

/** Lambda provides credentials in the environment, not by profiles, single sign-on or a metadata service. */
export const defaultProvider = fromEnv

/** Lambda has no files with profiles, so the first request does not look for them. */
export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} })
/** Of the names of profiles in such files. */
export const CONFIG_PREFIX_SEPARATOR = '.'

const leftOut = (what: string): never => {
  throw new Error(`${what} were left out of the bundle: see local/build/leaveOut.ts`)
}

/** No operation of DynamoDB has event streams. */
export const eventStreamSerdeProvider = () => leftOut('Event streams')
export const EventStreamSerde = eventStreamSerdeProvider

// Regions with another domain.
const suffixes: readonly (readonly [RegExp, string])[] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-/, 'amazonaws.eu'],
  [/^us-iso-/, 'c2s.ic.gov'],
  [/^us-isob-/, 'sc2s.sgov.gov'],
  [/^eu-isoe-/, 'cloud.adc-e.uk'],
  [/^us-isof-/, 'csp.hci.ic.gov'],
]

type EndpointParameters = { Endpoint?: string; Region?: string; UseFIPS?: boolean; UseDualStack?: boolean }

/** DynamoDB's address in a region. Throws for FIPS and dual stack, whose addresses it does not know. */
export function defaultEndpointResolver({ Endpoint, Region = '', UseFIPS, UseDualStack }: EndpointParameters) {
  if (UseFIPS || UseDualStack) leftOut('Endpoints of FIPS and dual stack')
  const suffix = suffixes.find(([regions]) => regions.test(Region))?.[1] ?? 'amazonaws.com'
  return { url: new URL(Endpoint ?? `https://dynamodb.${Region}.${suffix}`), properties: {}, headers: {} }
}

/** The data of the SDK's own endpoint rules. */
export const partitionsInfo = { partitions: [] }

/** The client makes one, but discovers no endpoints. */
export function EndpointCache() {}

/** Rich text keeps entities as they are, so the parser needs no table of their names. */
export function EntityDecoder() {}
export const DecodingMode = {}
export const htmlDecodeTree = undefined
export const xmlDecodeTree = undefined
