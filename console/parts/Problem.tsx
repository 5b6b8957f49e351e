import { RollcallError } from '../data/api.ts'
import { doubtAbout, wordsFor } from '../data/problem.ts'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

/** What went wrong, in words, with the request's number to copy. `again`: what the button to try again does. */
export function Problem({ problem, title, again }: { problem: unknown; title?: string; again?: () => void }) {
  const texts = useTexts()
  if (problem === undefined) return null
  const error = problem instanceof RollcallError ? problem : undefined
  const doubt = doubtAbout(problem, texts)
  const id = error?.request_id
  const copy = async () => {
    await navigator.clipboard.writeText(id ?? '')
    say(texts.common.copied)
  }
  return (
    <div class="problem" role="alert">
      <strong>{title ?? texts.problems.title}</strong>
      <p>{wordsFor(problem, texts)}</p>
      {doubt && <p>{doubt}</p>}
      {(id || error?.detail) && (
        <details>
          <summary>{texts.problems.details}</summary>
          {error?.detail && <p lang="en">{error.detail}</p>}
          {id && (
            <p>
              {texts.problems.request}: <code>{id}</code>{' '}
              <button type="button" class="quiet" onClick={copy}>
                {texts.common.copy}
              </button>
            </p>
          )}
        </details>
      )}
      {again && (
        <button type="button" onClick={again}>
          {texts.common.again}
        </button>
      )}
    </div>
  )
}
