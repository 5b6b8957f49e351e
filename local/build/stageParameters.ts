// The parameters of a stage: one table for the checks, the values and docs/parameters.md.
import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'

export type Value = string | number | boolean | readonly string[] | Readonly<Record<string, string>>
/** The values of all parameters, by name. */
export type Values = Readonly<Record<string, Value>>

/** `texts` is one text or a list of them. A list of one is that text, as it was in releases that knew no list. */
type Type = 'text' | 'texts' | 'number' | 'flag' | 'list' | 'map'

type Parameter = {
  type: Type
  /** Required if there is no default. */
  default?: Value
  /** The pattern of each text; an empty text is allowed if the default is empty. */
  form?: RegExp
  /** The minimum of a number. */
  least?: number
  /** Its description, in messages and in docs/parameters.md. */
  what: string
  example: string
  /** Decides who may call, or at which address: it changes only with --change. */
  isGuarded?: true
}

const address = /^https:\/\/\S+$/
const text = (parameter: Omit<Parameter, 'type'>): Parameter => ({ type: 'text', ...parameter })
const number = (least: number, value: number, what: string): Parameter => ({
  type: 'number',
  default: value,
  least,
  what,
  example: String(Math.max(value, 5)),
})
const flag = (value: boolean, what: string): Parameter => ({
  type: 'flag',
  default: value,
  what,
  example: String(!value),
})

export const parameters: Readonly<Record<string, Parameter>> = {
  tokenIssuer: text({
    form: address,
    what: 'the OIDC issuer whose tokens are accepted; for Cognito `https://cognito-idp.REGION.amazonaws.com/POOL_ID`',
    example: 'https://issuer.example.org',
    isGuarded: true,
  }),
  tokenAudience: {
    type: 'texts',
    form: /^\S+$/,
    what: 'the audiences whose tokens are accepted, one or more; for Cognito the ids of app clients. Elsewhere audiences of this API only: with a client id, each ID token of that client would be accepted',
    example: 'rollcall',
    isGuarded: true,
  },
  tokenUserClaim: text({
    default: 'sub',
    form: /^\S+$/,
    what: "the claim with the user's id in the directory",
    example: 'sub',
    isGuarded: true,
  }),
  tokenJwksUri: text({
    default: '',
    form: address,
    what: "the URL of the issuer's keys; empty: that of the issuer's discovery document",
    example: 'https://issuer.example.org/keys',
    isGuarded: true,
  }),
  userPoolArn: text({
    default: '',
    form: /^arn:[\w-]+:cognito-idp:[\w-]+:\d{12}:userpool\/\S+$/,
    what: 'the Cognito user pool that may call `refuseInactiveUser`',
    example: 'arn:aws:cognito-idp:eu-central-1:123456789012:userpool/eu-central-1_aB3',
    isGuarded: true,
  }),
  userPoolAttribute: text({
    default: '',
    form: /^\S+$/,
    what: "the pool's attribute with the directory's username, which users must not be able to write; empty: the pool's username",
    example: 'custom:username',
    isGuarded: true,
  }),
  corsOrigins: {
    type: 'list',
    default: [],
    form: /^(\*|https?:\/\/[^/\s]+)$/,
    what: 'the origins of web pages that may call the API: scheme and host, without a path',
    example: 'https://app.example.org',
  },
  apiAddress: text({
    default: '',
    form: /^https:\/\/[^/\s]+(\/[^/\s]+)*$/,
    what: 'the address at which clients reach the API, for URLs in [SCIM](scim.md) answers; empty: the address of the call. Required behind an edge',
    example: 'https://api.example.org',
  }),
  console: flag(false, 'whether the service has the [console](operate.md#the-console) at `/console`'),
  consoleClientId: text({
    default: '',
    form: /^\S+$/,
    what: "the console's client at the issuer: a public one, without a secret, with the authorization code flow and PKCE",
    example: 'rollcall-console',
  }),
  consoleScopes: text({
    default: 'openid',
    form: /^(\S+ )*openid( \S+)*$/,
    what: 'the scopes that the console asks for, separated by spaces, `openid` among them; some issuers need `offline_access` for refresh tokens',
    example: 'openid offline_access',
  }),
  consoleAudience: text({
    default: '',
    form: /^\S+$/,
    what: 'the parameter `audience` of issuers that need one to give access tokens for an API, such as Auth0',
    example: 'rollcall',
  }),
  consoleOrigins: {
    type: 'list',
    default: [],
    form: /^https:\/\/[^/\s;,'"]+$/,
    what: "the origins of the issuer's endpoints that are not its own; for Cognito that of the pool's domain",
    example: 'https://rollcall.auth.eu-central-1.amazoncognito.com',
  },
  requestsPerSecond: number(1, 1000, "the gateway's limit for the stage; above it and the burst the answer is 429"),
  requestsInBurst: number(1, 2000, 'the limit of a burst, at least `requestsPerSecond`'),
  eventRetentionDays: number(
    1,
    400,
    'the number of days that [events](events.md) are kept; existing events keep their expiry',
  ),
  importBucket: text({
    default: '',
    form: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    what: 'the S3 bucket, without `s3://`, whose files `importFile` may read ([Import](import.md))',
    example: 'our-files',
  }),
  importKeyArn: text({
    default: '',
    form: /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/\S+$/,
    what: 'the KMS key of that bucket, if it is encrypted with a customer managed key',
    example: 'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-0000-0000-000000000000',
  }),
  alarmEmail: text({
    default: '',
    form: /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
    what: 'the receiver of [alarms](operate.md#alarms): AWS sends a mail that must be confirmed',
    example: 'ops@example.org',
  }),
  alarmTopicArn: text({
    default: '',
    form: /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/,
    what: 'an existing SNS topic, instead of `alarmEmail`',
    example: 'arn:aws:sns:eu-central-1:123456789012:alarms',
  }),
  accountConcurrency: number(1, 1000, "the account's limit of concurrent functions, as Service Quotas shows it"),
  watchMinutes: number(0, 10, 'how long CloudFormation watches the alarms after an update before it counts as done'),
  reservedForLogins: number(0, 0, 'concurrent functions reserved for `refuseInactiveUser`; 0: none'),
  reservedForWork: number(0, 0, 'concurrent functions reserved for `finishWork`; 0: none'),
  reservedForPurge: number(0, 0, 'concurrent functions reserved for `purge`; 0: none'),
  reservedForDeliveries: number(0, 0, 'concurrent functions reserved for `deliver`, which calls webhooks; 0: none'),
  provisionedForLogins: number(0, 0, 'instances of `refuseInactiveUser` that are always started; 0: none'),
  tracing: flag(false, 'whether functions send traces to X-Ray'),
  logSourceAddress: flag(true, "whether the gateway's log has the address of each caller"),
  logActor: flag(true, "whether a call's log line has a keyed hash of the caller's id"),
  domainName: text({
    default: '',
    form: /^([a-z0-9-]+\.)+[a-z]{2,}$/,
    what: 'the domain of the API',
    example: 'api.example.org',
    isGuarded: true,
  }),
  certificateArn: text({
    default: '',
    form: /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/\S+$/,
    what: "the certificate of that domain, in the stage's region",
    example: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d-0000-0000-0000-000000000000',
  }),
  defaultAddress: flag(true, 'whether the API also answers at the address that AWS gives it'),
  edge: {
    ...flag(
      false,
      'whether the API is under a secret path of the domain, which only [CloudFront](operate.md#a-limit-for-each-caller) has',
    ),
    isGuarded: true,
  },
  backupVaultArn: text({
    default: '',
    form: /^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:\S+$/,
    what: 'a vault of AWS Backup in another region or account, which gets a daily copy of the table',
    example: 'arn:aws:backup:eu-west-1:210987654321:backup-vault:rollcall',
  }),
  tags: {
    type: 'map',
    default: {},
    form: /^[\p{L}\p{N} _.:/=+@-]{1,256}$/u,
    what: 'tags of both stacks and of their resources',
    example: 'team=people,cost-center=17',
  },
}

/** The input of a deployment: the stage's name, the content of its file, and the --param options of the command. */
export type ParameterInput = { stage: string; file: Readonly<Record<string, unknown>>; options: readonly string[] }

/** The file with the parameters of a stage. */
export const stageFileOf = (stage: string): string => `stages/${stage}.yml`

/** The content of the stage's file; undefined if there is none. Throws one line if it is not a map of parameters. */
export function readStageFile(root: string, stage: string): Record<string, unknown> | undefined {
  const path = `${root}/${stageFileOf(stage)}`
  if (!existsSync(path)) return undefined
  let content: unknown
  try {
    content = parse(readFileSync(path, 'utf8')) ?? {}
  } catch (error) {
    throw new Error(`${stageFileOf(stage)} is not YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  if (isMap(content)) return content
  throw new Error(`${stageFileOf(stage)} must have a line "name: value" for each parameter.`)
}

/** The value of every parameter: from the options, else from the file, else the default; required ones may be ''. */
export function valuesOf({ file, options }: Pick<ParameterInput, 'file' | 'options'>): Values {
  const stated = { ...file, ...Object.fromEntries(options.map(parsedOption)) }
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      normal(parameter, stated[name] ?? parameter.default ?? ''),
    ]),
  )
}

const normal = ({ type }: Parameter, value: unknown): Value =>
  (type === 'texts' && Array.isArray(value) && value.length === 1 ? value[0] : value) as Value

/** Parses an option name=value to the type of the parameter; a value of another type stays a text. */
function parsedOption(option: string): [name: string, value: unknown] {
  const [, name = option, value = ''] = /^([^=]*)=(.*)$/s.exec(option) ?? []
  switch (parameters[name]?.type) {
    case 'number':
      return [name, /^\d+$/.test(value) ? Number(value) : value]
    case 'flag':
      return [name, value === 'true' || (value === 'false' ? false : value)]
    case 'list':
    case 'texts':
      return [name, partsOf(value)]
    case 'map':
      return [name, Object.fromEntries(partsOf(value).map((part) => /^([^=]*)=?(.*)$/.exec(part)?.slice(1) ?? []))]
    default:
      return [name, value]
  }
}

const partsOf = (value: string): string[] => value.split(',').filter((part) => part !== '')

/** The longest name that a function may have on AWS. */
const LONGEST_NAME = 64

/** All faults of the parameters of a deployment, a line each. */
export function parameterFaults({ stage, file, options }: ParameterInput, functions: readonly string[]): string[] {
  const values = valuesOf({ file, options })
  const unknown = [...Object.keys(file), ...options.map((option) => option.split('=')[0] ?? '')].filter(
    (name) => !(name in parameters),
  )
  const single = Object.entries(parameters).flatMap(([name, parameter]) => faultOf(name, parameter, values[name]))
  return [
    ...faultsOfStage(stage, functions),
    ...unknown.map((name) => `There is no parameter ${name}. There are ${Object.keys(parameters).join(', ')}.`),
    ...single,
    ...(single.length > 0 ? [] : faultsBetween(values)),
  ]
}

function faultsOfStage(stage: string, functions: readonly string[]): string[] {
  if (!/^[a-zA-Z0-9-]+$/.test(stage)) return [`The stage ${stage} must have letters, digits and dashes only.`]
  if (stage === 'local' || stage === 'example') return [`The stage must have another name: ${stage} is reserved.`]
  const room = LONGEST_NAME - Math.max(...functions.map((name) => `rollcall--${name}`.length))
  if (stage.length > room)
    return [`The stage's name has ${room} characters at most, as functions are named after it: ${stage}.`]
  // rollcall-prod-table and rollcall-prod-purge belong to the stage `prod`.
  const taken = ['table', ...functions].find((name) => stage.toLowerCase().endsWith(`-${name.toLowerCase()}`))
  return taken ? [`The stage cannot be called ${stage}: its names would be those of ${taken} in another stage.`] : []
}

function faultOf(name: string, parameter: Parameter, value: unknown): string[] {
  if (isRight(parameter, value)) return []
  const found = value === '' ? 'is missing' : `cannot be ${JSON.stringify(value)}`
  return [`${name} ${found}. It is ${parameter.what}. For example --param='${name}=${parameter.example}'`]
}

function isRight({ type, form = /./, least = 0, default: other }: Parameter, value: unknown): boolean {
  switch (type) {
    case 'number':
      return Number.isInteger(value) && Number(value) >= least
    case 'flag':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value) && value.every((one) => typeof one === 'string' && form.test(one))
    case 'texts':
      return [value].flat().length > 0 && [value].flat().every((one) => typeof one === 'string' && form.test(one))
    case 'map':
      return (
        isMap(value) &&
        Object.entries(value)
          .flat()
          .every((one) => typeof one === 'string' && form.test(one))
      )
    default:
      return typeof value === 'string' && (value === '' ? other === '' : form.test(value))
  }
}

/** Whether an ID token of the console would pass for an access token, as its audience is the client. */
const takesIdTokens = ({ tokenIssuer, tokenAudience, consoleClientId }: Values): boolean =>
  consoleClientId !== '' &&
  [tokenAudience].flat().some((audience) => audience === consoleClientId) &&
  !/^https:\/\/cognito-idp\./.test(String(tokenIssuer))

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Faults of combinations of parameters that are valid by themselves. */
function faultsBetween(values: Values): string[] {
  const { requestsPerSecond, requestsInBurst, reservedForLogins, provisionedForLogins } = values
  const rules: [isBroken: boolean, says: string][] = [
    [
      Number(requestsInBurst) < Number(requestsPerSecond),
      `requestsInBurst is ${requestsInBurst}, below requestsPerSecond (${requestsPerSecond}): make it at least as large.`,
    ],
    [Boolean(values['alarmEmail'] && values['alarmTopicArn']), 'Set alarmEmail or alarmTopicArn, not both.'],
    [Boolean(values['importKeyArn'] && !values['importBucket']), 'importKeyArn needs importBucket.'],
    [!values['console'] !== !values['consoleClientId'], 'console and consoleClientId need each other.'],
    [
      takesIdTokens(values),
      'tokenAudience cannot have consoleClientId: each ID token of the console would be accepted. Only Cognito tells them apart.',
    ],
    [!values['domainName'] !== !values['certificateArn'], 'domainName and certificateArn need each other.'],
    [!values['defaultAddress'] && !values['domainName'], 'Without defaultAddress the API needs a domainName.'],
    [
      Boolean(values['edge'] && (values['defaultAddress'] || !values['domainName'])),
      'edge needs a domainName and defaultAddress: false, or callers go past it.',
    ],
    [
      Boolean(values['edge'] && !values['apiAddress']),
      'edge needs apiAddress: the API itself does not know the domain that callers use.',
    ],
    [
      isMap(values['tags']) && 'STAGE' in values['tags'],
      'tags cannot have STAGE: the policy of the deployer goes by this tag, which both stacks have.',
    ],
    [Number(values['watchMinutes']) > 180, 'watchMinutes is at most 180: CloudFormation watches no longer.'],
    [
      Number(reservedForLogins) > 0 && Number(provisionedForLogins) > Number(reservedForLogins),
      'provisionedForLogins cannot be more than reservedForLogins.',
    ],
  ]
  return rules.flatMap(([isBroken, says]) => (isBroken ? [says] : []))
}
