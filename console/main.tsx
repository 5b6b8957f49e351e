import './main.css'
import { createClient, RollcallError } from '../client/src/index.ts'
import { readConfig, serviceAddress } from './session/config.ts'
import { type Session, startSession } from './session/session.ts'

const session = await startSession(await readConfig())
const client = createClient({ baseUrl: serviceAddress, token: session.tokenSource })

const textOf = async ({ state }: Session): Promise<string> => {
  if (state() !== 'SIGNED_IN') return session.problem() ?? 'You are signed out.'
  try {
    const { data } = await client.GET('/api/users/v4/me')
    return `Signed in as ${data.first_name} ${data.last_name} (${data.role})`
  } catch (error) {
    return error instanceof RollcallError ? `${error.error_code}` : String(error)
  }
}

async function show() {
  const isIn = session.state() === 'SIGNED_IN'
  const text = document.createElement('p')
  text.textContent = await textOf(session)
  const button = document.createElement('button')
  button.textContent = isIn ? 'Sign out' : 'Sign in'
  button.onclick = () => (isIn ? session.signOut() : session.signIn())
  document.getElementById('console')?.replaceChildren(text, button)
}

session.subscribe(show)
await show()
