import { inject } from 'vitest'
import type { Packaged } from '../aws/packageService.ts'

/** The packaged service, which all test files of a run share: `packages.ts` makes it when the first one asks. */
export async function packaged(): Promise<Packaged> {
  const answer = await fetch(inject('packages'))
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return JSON.parse(text) as Packaged
}
