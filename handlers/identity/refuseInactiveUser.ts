import type {
  Context as LambdaContext,
  PreAuthenticationTriggerEvent,
  PreTokenGenerationTriggerEvent,
  PreTokenGenerationV2TriggerEvent,
} from 'aws-lambda'
import { traceOf } from '../../domain/base/errors.ts'
import type { UserRecord } from '../../domain/people/records/user.ts'
import { userByUsername } from '../../domain/people/records/userByName.ts'
import { readsOf } from '../../domain/table/dynamo.ts'
import { newRequestStats, type RequestStats } from '../../domain/table/requestStats.ts'
import { environment, newTable, requireLayout } from '../middleware/environment.ts'
import { coldStart, type Measures, measuresOf } from '../middleware/log.ts'
import { timeBudget } from '../middleware/timeBudget.ts'

type BeforeToken = PreTokenGenerationTriggerEvent | PreTokenGenerationV2TriggerEvent
type Trigger = PreAuthenticationTriggerEvent | BeforeToken

/**
 * A Cognito user pool calls this before each login and before each token, renewed tokens included. It throws unless the
 * user is active in the directory, and puts the directory's id into the tokens. Tokens of machine clients pass as they are.
 */
export const handler = async (event: Trigger, context: LambdaContext): Promise<Trigger> => {
  const { triggerSource: trigger } = event
  if (trigger === MACHINE) {
    log({ level: 'info', trigger, refused: false, machine: true })
    return event
  }
  const stats = newRequestStats()
  const user = await find(usernameOf(event), { context, stats })
  const isActive = user?.status === 'ACTIVE'
  log({ level: 'info', trigger, refused: !isActive }, measuresOf(stats))
  // Cognito shows this text at the login.
  if (!isActive) throw new Error('The user is not active')
  return isBeforeToken(event) ? withUserId(event, user.id) : event
}

/**
 * The trigger before a token by client credentials. The directory has no record of such a machine client, and its token may be
 * for another API. Our API refuses it all the same, unless its claim names an active user.
 */
const MACHINE: string = 'TokenGeneration_ClientCredentials'

const log = (line: object, measures: Measures = {}): void =>
  environment.log({ endpoint: 'refuseInactiveUser', ...line }, { ...coldStart(), ...measures })

/** The user; throws if the table cannot be read, before the function's time is over. */
async function find(
  username: string,
  { context, stats }: { context: LambdaContext; stats: RequestStats },
): Promise<UserRecord | undefined> {
  try {
    const store = readsOf(newTable(timeBudget(context).signal, stats))
    const reading = userByUsername(store, username, environment.clock().toISOString())
    const [user] = await Promise.all([reading, requireLayout(store)])
    return user
  } catch (error) {
    log({ level: 'error', ...traceOf(error) }, { LoginsFailed: 1, ...measuresOf(stats) })
    throw new Error('The directory cannot be reached at the moment')
  }
}

function usernameOf({ userName, request }: Trigger): string {
  const attribute = process.env.USER_POOL_ATTRIBUTE
  return (attribute ? request.userAttributes?.[attribute] : userName) ?? ''
}

const isBeforeToken = (event: Trigger): event is BeforeToken => event.triggerSource.startsWith('TokenGeneration_')

/** Adds the claim that our token verifier reads. If it is the pool's own `sub`, it cannot be changed. */
function withUserId(event: BeforeToken, id: string): BeforeToken {
  const claim = process.env.TOKEN_USER_CLAIM || 'sub'
  if (claim === 'sub') return event
  const claims = { claimsToAddOrOverride: { [claim]: id } }
  // Version 1 of the event can change the identity token only; version 2 also the access token.
  const response =
    event.version === '1'
      ? { claimsOverrideDetails: claims }
      : { claimsAndScopeOverrideDetails: { idTokenGeneration: claims, accessTokenGeneration: claims } }
  return { ...event, response } as BeforeToken
}
