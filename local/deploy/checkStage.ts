// The check at the end of a deployment: the API answers, and the functions read and write their table.
import { retry } from '../../domain/base/retry.ts'
import type { Values } from '../build/stageParameters.ts'
import { requireWell, type Stacks, settled } from './tableStack.ts'

/** What the check calls, besides the stacks. */
export type Reached = {
  stacks: Stacks
  /** The status and the body of a GET without a token. Throws if nothing answers. */
  get: (url: string) => Promise<{ status: number; body: string }>
  /** Calls a function. Throws its error. */
  invoke: (functionName: string) => Promise<void>
  say: (text: string) => void
}

/** How often each part is tried, every five seconds: a new instance or address may take a moment. */
const TRIES = 6

/** Checks a stage. Throws if something does not work, after half a minute of attempts. */
export async function checkStage(world: Reached, stage: string, values: Values): Promise<void> {
  const { stacks, say, get, invoke } = world
  const name = `rollcall-${stage}`
  const stack = await settled(stacks, name, say)
  if (!stack) throw new Error(`there is no stack ${name}`)
  requireWell(name, stack)
  const { HttpApiUrl = '', DomainTarget } = stack.outputs
  const address = values['defaultAddress'] ? HttpApiUrl : `https://${values['domainName']}`
  await tried(world, 'the functions read and write their table', () => invoke(`${name}-checkDeployment`))
  const what = values['edge'] ? `the API does not answer at ${address} itself` : `the API answers at ${address}`
  const isCalled = await tried(world, what, async () => {
    const answer = await get(`${address}/api/admin/organisations/v4/settings`).catch((error: Error) => {
      if (!isUnknownHost(error) || !DomainTarget) throw error
      say(`${values['domainName']} does not exist yet, so the API was not called: point it to ${DomainTarget}`)
      return undefined
    })
    if (!answer) return false
    // It is not called at the secret path, because this command does not read the secret.
    if (values['edge'] ? isOurs(answer) : !isRefusal(answer))
      throw new Error(`the API answers ${answer.status} to a call without a token${values['edge'] ? ' and path' : ''}`)
    return true
  })
  if (!values['console'] || !isCalled || values['edge']) return
  await tried(world, `the console answers at ${address}/console`, () => requireConsole(get, address, values))
}

/** Throws unless the console has its page, and the settings of the stage. */
async function requireConsole(get: Reached['get'], address: string, values: Values): Promise<void> {
  const page = await get(`${address}/console`)
  if (page.status !== 200 || !page.body.includes('<script')) throw new Error(`the page answers ${page.status}`)
  const { status, body } = await get(`${address}/console/config.json`)
  if (!body.includes(`"issuer":${JSON.stringify(values['tokenIssuer'])}`))
    throw new Error(`its settings answer ${status}, without the stage's issuer`)
}

async function tried<T>({ stacks, say }: Reached, what: string, attempt: () => Promise<T>): Promise<T> {
  const wait = (_attempt: number, error: unknown) => {
    say(`not yet: ${what} (${(error as Error).message})`)
    return stacks.pause()
  }
  const result = await retry(attempt, { attempts: TRIES, again: () => true, wait })
  say(`checked: ${what}`)
  return result
}

/** Whether the service answers, and not the gateway. */
const isOurs = ({ body }: { body: string }): boolean => body.includes('"error_code"')

/** Whether the service has refused the call for its missing token. */
function isRefusal({ status, body }: { status: number; body: string }): boolean {
  return status === 401 && /"error_code":\s*"UNAUTHENTICATED"/.test(body)
}

const isUnknownHost = ({ cause }: Error): boolean => (cause as { code?: string } | undefined)?.code === 'ENOTFOUND'
