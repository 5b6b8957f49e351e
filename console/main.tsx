import './main.css'
import { createClient, RollcallError } from '../client/src/index.ts'
import { readConfig, serviceAddress } from './session/config.ts'
import { SignInError, type SignInReason, startSession } from './session/session.ts'

const texts: Record<SignInReason, string> = {
  DENIED: 'The sign-in was cancelled.',
  REFUSED: 'The sign-in did not succeed. Please try again.',
  ISSUER_UNREACHABLE: 'The sign-in service does not answer. Please try again later.',
  UNKNOWN_SIGN_IN: 'This sign-in was not begun in this tab. Please sign in here.',
  OTHER_PERSON: 'Somebody else has signed in.',
  WINDOW_BLOCKED: 'The browser did not open the window.',
  REPLACED: '',
  SIGNED_OUT: '',
}

const session = await startSession(await readConfig())
const client = createClient({ baseUrl: serviceAddress, token: session.tokenSource })

/** Who is signed in, or why they see nothing here. */
async function who(): Promise<string> {
  try {
    const { data } = await client.GET('/api/users/v4/me')
    return `Signed in as ${data.first_name} ${data.last_name}.`
  } catch (error) {
    if (error instanceof SignInError) return texts[error.reason]
    const { error_code, request_id } = error instanceof RollcallError ? error : {}
    if (error_code === 'ACTOR_NOT_ACTIVE') return 'You are signed in, but you are not an active user here.'
    return `This did not work. Please try again. (${error_code ?? 'NO_ANSWER'} ${request_id ?? ''})`
  }
}

const states = {
  SIGNED_OUT: { label: 'Sign in', act: () => session.signIn() },
  SIGNED_IN: { label: 'Sign out', act: () => session.signOut() },
  EXPIRED: { label: 'Sign in again', act: () => session.signInAgain() },
}

async function show(): Promise<void> {
  const state = session.state()
  const problem = session.problem()
  const text = document.createElement('p')
  text.textContent = state === 'SIGNED_IN' ? await who() : problem ? texts[problem] : ''
  const button = document.createElement('button')
  button.textContent = states[state].label
  button.onclick = () =>
    states[state].act().catch((error) => {
      text.textContent = error instanceof SignInError ? texts[error.reason] : String(error)
    })
  document.getElementById('console')?.replaceChildren(text, button)
}

session.subscribe(show)
await show()
