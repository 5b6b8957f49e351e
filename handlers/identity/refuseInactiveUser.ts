import type {
  Context as LambdaContext,
  PreAuthenticationTriggerEvent,
  PreTokenGenerationTriggerEvent,
  PreTokenGenerationV2TriggerEvent,
} from 'aws-lambda'
import { traceOf } from '../../domain/base/errors.ts'
import { newTraffic, type Traffic } from '../../domain/table/requests.ts'
import { type UserRecord, userByUsername } from '../../domain/users/user.ts'
import { coldStart, environment, measuresOf, requireLayout, storeInTime } from '../middleware/environment.ts'

type BeforeToken = PreTokenGenerationTriggerEvent | PreTokenGenerationV2TriggerEvent
type Trigger = PreAuthenticationTriggerEvent | BeforeToken

/**
 * A Cognito user pool calls this before each login and before each token, renewed tokens included. It throws unless the
 * user is active in the directory, and puts the directory's id into the tokens. Tokens of machine clients pass as they are.
 */
export const handler = async (event: Trigger, context: LambdaContext): Promise<Trigger> => {
  if (event.triggerSource === MACHINE) return passed(event)
  const traffic = newTraffic()
  const user = await find(usernameOf(event), { context, traffic })
  const isActive = user?.status === 'ACTIVE'
  const line = { endpoint: 'refuseInactiveUser', trigger: event.triggerSource, refused: !isActive }
  environment.log({ level: 'info', ...line }, { ...coldStart(), ...measuresOf(traffic) })
  // Cognito shows this text at the login.
  if (!isActive) throw new Error('The user is not active')
  return isBeforeToken(event) ? withUserId(event, user.id) : event
}

/** Before a token by client credentials, which has no user. */
const MACHINE: string = 'TokenGeneration_ClientCredentials'

/**
 * The directory has no record of a machine client to lock, and its token may be for another API. Ours looks its claim up in
 * the directory like any other, and refuses it unless that names an active user.
 */
function passed(event: Trigger): Trigger {
  const line = { endpoint: 'refuseInactiveUser', trigger: event.triggerSource, refused: false, machine: true }
  environment.log({ level: 'info', ...line }, coldStart())
  return event
}

/** The user; throws if the table cannot be read, before the function's time is over. */
async function find(
  username: string,
  { context, traffic }: { context: LambdaContext; traffic: Traffic },
): Promise<UserRecord | undefined> {
  try {
    const store = storeInTime(() => context.getRemainingTimeInMillis(), traffic)
    const reading = userByUsername(store, username, environment.now().toISOString())
    const [user] = await Promise.all([reading, requireLayout(store)])
    return user
  } catch (error) {
    const line = { level: 'error', endpoint: 'refuseInactiveUser', ...traceOf(error) }
    environment.log(line, { LoginsFailed: 1, ...coldStart(), ...measuresOf(traffic) })
    throw new Error('The directory cannot be asked at the moment')
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
