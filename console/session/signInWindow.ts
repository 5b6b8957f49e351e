// Signing in again in a window, so that the page with unsaved work stays as it is. The window gets the issuer's answer in its address and
// reports it to the page, which redeems it: verifier and tokens never leave the page.
import type { Page } from './page.ts'
import { SignInError } from './signInError.ts'

const CHANNEL = 'rollcall.sign-in'
const SIZE = 'popup,width=520,height=720'
/** How long the window waits for a page that has begun this sign-in, in milliseconds. */
const WAIT_MS = 2000
/** How often the page looks whether the window is still there, in milliseconds: browsers report it in no other way. */
const LOOK_MS = 500

type Report = { kind: 'answer'; query: string } | { kind: 'received'; state: string }

/** How the page that the issuer sends people back to sees that it is in such a window. */
export const inWindow = {
  prefix: 'window.',
  isAnswer: (answer: URLSearchParams): boolean => answer.get('state')?.startsWith('window.') ?? false,
}

/** The attempt under way: there is one window. */
let replaceLast: (() => void) | undefined

/** Opens the window, still empty. Throws SignInError if the browser does not let it. */
export function openWindow(page: Pick<Page, 'open'>) {
  const opened = page.open('', CHANNEL, SIZE)
  if (!opened) throw new SignInError('WINDOW_BLOCKED')
  // The issuer's page needs no way back to this one.
  opened.opener = null
  replaceLast?.()
  let looking: ReturnType<typeof setInterval> | undefined
  return {
    /** Shows the issuer's page, and waits for its answer to the sign-in with this state, however long that takes. */
    answerTo: (address: string, state: string): Promise<URLSearchParams> =>
      new Promise((resolve, reject) => {
        const channel = new BroadcastChannel(CHANNEL)
        const end = () => {
          replaceLast = undefined
          clearInterval(looking)
          channel.close()
        }
        replaceLast = () => {
          end()
          reject(new SignInError('REPLACED'))
        }
        channel.onmessage = ({ data }: { data: Report }) => {
          if (data.kind !== 'answer') return
          const answer = new URLSearchParams(data.query)
          if (answer.get('state') !== state) return
          channel.postMessage({ kind: 'received', state } satisfies Report)
          end()
          resolve(answer)
        }
        opened.location.replace(address)
      }),
    /** Throws SignInError once the window seems closed. An issuer's page can hide that it is open, so an answer still counts. */
    untilClosed: (): Promise<never> =>
      new Promise((_, reject) => {
        looking = setInterval(() => {
          if (!opened.closed) return
          clearInterval(looking)
          reject(new SignInError('WINDOW_CLOSED'))
        }, LOOK_MS)
      }),
  }
}

/** Reports an answer to the page that has begun the sign-in, and closes this window. False if there is no such page. */
export async function reportToOpener(page: Pick<Page, 'close'>, answer: URLSearchParams): Promise<boolean> {
  const channel = new BroadcastChannel(CHANNEL)
  const isReceived = await new Promise<boolean>((resolve) => {
    channel.onmessage = ({ data }: { data: Report }) => {
      if (data.kind === 'received' && data.state === answer.get('state')) resolve(true)
    }
    channel.postMessage({ kind: 'answer', query: answer.toString() } satisfies Report)
    setTimeout(() => resolve(false), WAIT_MS)
  })
  channel.close()
  if (isReceived) page.close()
  return isReceived
}
