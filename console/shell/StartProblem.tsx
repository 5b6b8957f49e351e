import { Problem } from '../parts/Problem.tsx'
import { useTexts } from '../texts/texts.ts'

/** Shown if the page cannot start: the service or the issuer cannot be reached. */
export function StartProblem({ problem }: { problem: unknown }) {
  const texts = useTexts()
  return (
    <main class="alone">
      <h1>{texts.common.product}</h1>
      <Problem problem={problem} again={() => location.reload()} />
    </main>
  )
}
