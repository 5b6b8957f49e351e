import { useState } from 'preact/hooks'
import { api } from '../data/api.ts'
import { Confirm } from '../parts/Confirm.tsx'
import { Time } from '../parts/Time.tsx'
import { say } from '../shell/announce.tsx'
import { useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import type { Managed } from './ManagedPerson.tsx'
import { fullName, type User } from './peopleQuery.ts'
import { StatusBadge } from './StatusBadge.tsx'

const actions = ['unlock', 'reactivate', 'restore', 'lock', 'deactivate', 'delete'] as const
type Action = (typeof actions)[number]

/** What may be done now, as the service says: reactivating goes with the right to change somebody. */
function allowedActions({ status, actions: allowed }: User): Action[] {
  const mayReactivate = status === 'DEACTIVATED' && allowed?.update.allowed === true
  const fits: Record<Action, boolean | undefined> = {
    // What would change nothing is not offered.
    lock: allowed?.lock.allowed && status !== 'LOCKED',
    unlock: allowed?.unlock.allowed && status === 'LOCKED',
    deactivate: allowed?.deactivate.allowed && status !== 'DEACTIVATED',
    reactivate: mayReactivate,
    delete: allowed?.delete.allowed && status !== 'PENDING_DELETION',
    restore: allowed?.restore.allowed,
  }
  return actions.filter((action) => fits[action])
}

/** The calls name the version that is shown: what somebody else has changed meanwhile is seen first. */
const calls = {
  lock: '/api/admin/users/v4/users/{user_id}/lock',
  unlock: '/api/admin/users/v4/users/{user_id}/unlock',
  deactivate: '/api/admin/users/v4/users/{user_id}/deactivate',
  reactivate: '/api/admin/users/v4/users/{user_id}/reactivate',
  restore: '/api/admin/users/v4/users/{user_id}/restore',
} as const

function carryOut(action: Action, user: User, etag: string) {
  const params = { path: { user_id: user.id }, header: { 'if-match': etag } }
  if (action === 'delete') return api.DELETE('/api/admin/users/v4/users/{user_id}', { params })
  return api.POST(calls[action], { params })
}

/** The state, what it means, and what can be done about it. */
export function PersonState({ user, etag, again }: Managed) {
  const texts = useTexts()
  const me = useMe()
  const [asked, setAsked] = useState<Action>()
  const name = fullName(user)
  const possible = allowedActions(user)
  return (
    <section class="card" aria-labelledby="state">
      <div class="card-head">
        <h2 id="state">{texts.person.state}</h2>
        <StatusBadge status={user.status} />
      </div>
      <p>{texts.statusMeans[user.status]}</p>
      {user.deletion_at && (
        <p>
          <strong>{texts.person.deletion}</strong> <Time at={user.deletion_at} />. {texts.person.canBeTakenBack}
        </p>
      )}
      {user.required_actions.length > 0 && (
        <>
          <h3>{texts.person.requiredActions}</h3>
          <ul>
            {user.required_actions.map((action) => (
              <li key={action}>{texts.person.actions[action]}</li>
            ))}
          </ul>
        </>
      )}
      {possible.length === 0 && user.id !== me.id && <p class="hint">{texts.person.protectedOrLast}</p>}
      <div class="stack">
        {possible.map((action) => (
          <button
            key={action}
            type="button"
            class={action === 'delete' ? 'dangerous-quiet' : undefined}
            onClick={() => setAsked(action)}
          >
            {texts.person[action]}
          </button>
        ))}
      </div>
      {asked && (
        <Confirm
          title={texts.person.confirm[asked].title(name)}
          action={texts.person[asked]}
          isDangerous={asked === 'delete'}
          onClose={() => setAsked(undefined)}
          again={again}
          onConfirm={async () => {
            await carryOut(asked, user, etag)
            say(texts.person.done[asked](name))
            again()
          }}
        >
          <p>{texts.person.confirm[asked].text}</p>
        </Confirm>
      )}
    </section>
  )
}
