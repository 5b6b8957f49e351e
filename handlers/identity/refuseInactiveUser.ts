import type {
  Context as LambdaContext,
  PreAuthenticationTriggerEvent,
  PreTokenGenerationTriggerEvent,
  PreTokenGenerationV2TriggerEvent,
} from 'aws-lambda'
import { traceOf } from '../../domain/base/errors.ts'
import { type UserRecord, userByUsername } from '../../domain/users/user.ts'
import { environment, storeInTime } from '../middleware/environment.ts'

type BeforeToken = PreTokenGenerationTriggerEvent | PreTokenGenerationV2TriggerEvent
type Trigger = PreAuthenticationTriggerEvent | BeforeToken

/**
 * A Cognito user pool asks before each login and before each token, renewed ones included. A throw refuses those who are
 * no active users of the directory; the tokens of the others carry their id in the directory.
 */
export const handler = async (event: Trigger, context: LambdaContext): Promise<Trigger> => {
  const user = await find(usernameOf(event), () => context.getRemainingTimeInMillis())
  const isActive = user?.status === 'ACTIVE'
  environment.log({ level: 'info', endpoint: 'refuseInactiveUser', trigger: event.triggerSource, refused: !isActive })
  // Cognito shows this text to the person who tries to log in.
  if (!isActive) throw new Error('The user is not active')
  return isBeforeToken(event) ? withUserId(event, user.id) : event
}

/**
 * While the directory cannot be asked, every login is refused. It must be refused in time, as Cognito waits no longer than
 * the function may run.
 */
async function find(username: string, timeLeft: () => number): Promise<UserRecord | undefined> {
  try {
    return await userByUsername(storeInTime(timeLeft), username, environment.now().toISOString())
  } catch (error) {
    environment.log({ level: 'error', endpoint: 'refuseInactiveUser', ...traceOf(error) })
    throw new Error('The directory cannot be asked at the moment')
  }
}

function usernameOf({ userName, request }: Trigger): string {
  const attribute = process.env.USER_POOL_ATTRIBUTE
  return (attribute ? request.userAttributes?.[attribute] : userName) ?? ''
}

const isBeforeToken = (event: Trigger): event is BeforeToken => event.triggerSource.startsWith('TokenGeneration_')

/** Adds the claim that our own verifier reads. The pool's own `sub` cannot be replaced, so there is nothing to add. */
function withUserId(event: BeforeToken, id: string): BeforeToken {
  const claim = process.env.TOKEN_USER_CLAIM || 'sub'
  if (claim === 'sub') return event
  const claims = { claimsToAddOrOverride: { [claim]: id } }
  // The first version of the event can change the identity token only; access tokens need the second.
  const response =
    event.version === '1'
      ? { claimsOverrideDetails: claims }
      : { claimsAndScopeOverrideDetails: { idTokenGeneration: claims, accessTokenGeneration: claims } }
  return { ...event, response } as BeforeToken
}
