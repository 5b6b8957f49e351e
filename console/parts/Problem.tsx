import { RollcallError } from '../data/api.ts'
import { doubtAbout, wordsFor } from '../data/problem.ts'
import { useTexts } from '../texts/texts.ts'
import { CopyButton } from './CopyButton.tsx'

/** What went wrong, in words, with the request's number to copy. `again`: what the button to try again does. */
export function Problem({ problem, title, again }: { problem: unknown; title?: string; again?: () => void }) {
  const texts = useTexts()
  if (problem === undefined) return null
  const doubt = doubtAbout(problem, texts)
  return (
    <div class="problem" role="alert">
      <strong>{title ?? texts.problems.title}</strong>
      <p>{wordsFor(problem, texts)}</p>
      {doubt && <p>{doubt}</p>}
      <SupportDetails problem={problem} />
      {again && (
        <button type="button" onClick={again}>
          {texts.common.again}
        </button>
      )}
    </div>
  )
}

/** What the service says about a problem, in English, and the request's number to copy: for those who are asked for help. */
export function SupportDetails({ problem }: { problem: unknown }) {
  const texts = useTexts()
  if (!(problem instanceof RollcallError)) return null
  const { request_id: id, detail, errors = [] } = problem
  if (!id && !detail) return null
  return (
    <details>
      <summary>{texts.problems.details}</summary>
      {detail && <p lang="en">{detail}</p>}
      {errors.length > 1 && (
        <ul lang="en">
          {errors.map(({ property, message }) => (
            <li key={`${property} ${message}`}>{`${property} ${message}`}</li>
          ))}
        </ul>
      )}
      {id && (
        <p>
          {texts.problems.request}: <code>{id}</code> <CopyButton value={id} />
        </p>
      )}
    </details>
  )
}
