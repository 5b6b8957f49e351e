// What a deployment must know. Everything that is wrong is told at once, as each try takes a while.

/** The values of `custom.parameters` in serverless.yml, and what else decides whether AWS takes the stack. */
export type Given = {
  stage: string
  parameters: Readonly<Record<string, unknown>>
  /** Names of the functions. */
  functions: readonly string[]
  /** `name=value`, as they stand in the command. */
  options: readonly string[]
  /** Whether the table must be known already. */
  isTableKnown: boolean
}

/** What a parameter must look like, and what to say if it does not. Without `optional` it may not be empty. */
type Rule = { form: RegExp; says: string; optional?: true }

const address = /^https:\/\/\S+$/
const positive = /^0*[1-9]\d*$/

const rules: Readonly<Record<string, Rule>> = {
  tokenIssuer: { form: address, says: "whose tokens it accepts: --param='tokenIssuer=https://…'" },
  tokenAudience: { form: /\S/, says: "the audience that tokens must have: --param='tokenAudience=…'" },
  tokenUserClaim: { form: /^\S+$/, says: "the claim with the user's id: --param='tokenUserClaim=sub'" },
  tokenJwksUri: {
    form: address,
    says: "where the issuer's keys are: --param='tokenJwksUri=https://…'",
    optional: true,
  },
  userPoolArn: {
    form: /^arn:[\w-]+:cognito-idp:[\w-]+:\d{12}:userpool\/\S+$/,
    says: "a user pool by its ARN: --param='userPoolArn=arn:aws:cognito-idp:REGION:ACCOUNT:userpool/ID'",
    optional: true,
  },
  corsOrigins: {
    form: /^(\*|https?:\/\/[^/\s]+)$/,
    says: "web pages by scheme and host, without a path: --param='corsOrigins=https://app.example.org'",
  },
  requestsPerSecond: { form: positive, says: "the stage's limit, a whole number: --param='requestsPerSecond=1000'" },
  requestsInBurst: { form: positive, says: "the limit of a burst, a whole number: --param='requestsInBurst=2000'" },
  eventRetentionDays: { form: positive, says: "how many days events are kept: --param='eventRetentionDays=400'" },
  importBucket: {
    form: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    says: "a bucket by its name, without s3://: --param='importBucket=…'",
    optional: true,
  },
  alarmEmail: {
    form: /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
    says: "an e-mail address for alarms: --param='alarmEmail=ops@example.org'",
    optional: true,
  },
  alarmTopicArn: {
    form: /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/,
    says: "a topic for alarms by its ARN: --param='alarmTopicArn=arn:aws:sns:REGION:ACCOUNT:NAME'",
    optional: true,
  },
}

/** Filled in by `npm run deploy`. */
const ofTable = ['tableName', 'tableArn', 'tableStreamArn']

/** The longest name that a function may have on AWS. */
const LONGEST_NAME = 64

/** What is wrong with a deployment, a message each. */
export function faultsOf({ stage, parameters, functions, options, isTableKnown }: Given): string[] {
  const room = LONGEST_NAME - Math.max(...functions.map((name) => `rollcall--${name}`.length))
  const known = Object.keys(parameters)
  const unknown = options.map((option) => option.split('=')[0] ?? '').filter((name) => !known.includes(name))
  return [
    ...(/^[a-zA-Z0-9-]+$/.test(stage) ? [] : ['a stage of letters, digits and dashes']),
    ...(stage.length <= room ? [] : [`a stage of ${room} characters at most: functions are named after it`]),
    ...Object.entries(rules).flatMap(([name, rule]) => (fits(parameters[name], rule) ? [] : [rule.says])),
    ...(isTableKnown && ofTable.some((name) => !parameters[name])
      ? ['its table: npm run deploy finds it and fills it in']
      : []),
    ...unknown.map(
      (name) => `no parameter ${name}: it takes ${known.filter((one) => !ofTable.includes(one)).join(', ')}`,
    ),
  ]
}

function fits(value: unknown, { form, optional }: Rule): boolean {
  const values = [value ?? ''].flat().map(String)
  return values.length > 0 && values.every((one) => (one === '' ? optional === true : form.test(one)))
}
