import { type CodedFault, errorOf, faultAt, refuse } from '../../domain/base/errors.ts'
import { type Compiled, inputFaults } from '../../domain/request/faults.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Call, Event, FaultyRequest, Middleware, Validated, ValidRequest } from './call.ts'
import type { BodyReader } from './readBody.ts'
import { readHeaders, readQuery } from './readQueryAndHeaders.ts'

/**
 * Reads and validates path, query, headers and body. Faults are not thrown: a caller without rights gets that refusal instead.
 * Without `readBody` a body is ignored.
 */
export const validate = (compiled: Compiled, readBody: BodyReader | undefined): Middleware<Validated> => ({
  before: async ({ event, context }) => {
    context.request = await requestOf(event, compiled, context.call, readBody)
  },
})

async function requestOf(
  event: Event,
  compiled: Compiled,
  call: Call,
  readBody: BodyReader | undefined,
): Promise<ValidRequest | FaultyRequest> {
  const { contract, default: validator } = compiled
  const { values: query, ignored } = readQuery(event.rawQueryString ?? '', contract)
  call.ignored = ignored
  const headers = readHeaders(event, contract)
  const body = (await readBody?.(event, compiled)) ?? {}
  if ('refused' in body) return { fault: refuse(body.refused, undefined, body.detail), sent: undefined }
  const { value, input, unreadable } = { input: undefined, value: undefined, unreadable: undefined, ...body }
  const sent = { path: pathOf(event, contract), query, body: value }
  const faults = inputFaults(sent, contract, validator, unreadable !== undefined)
  const fault = errorOf([...faults, ...pageFaults(query), ...headers.faults, ...(unreadable ?? [])])
  if (fault) return { fault, sent: unreadable ? undefined : sent }
  return { input: { ...sent, body: input?.() ?? ((value ?? {}) as object) }, headers: headers.values }
}

const pathOf = (event: Event, contract: CompiledContract) => (contract.path ? (event.pathParameters ?? {}) : {})

/** A page has a number or a cursor, not both. */
const pageFaults = ({ page_number, page_cursor }: Readonly<Record<string, unknown>>): CodedFault[] =>
  page_number !== undefined && page_cursor !== undefined
    ? [faultAt('VALIDATION_ERROR', 'page_cursor', 'must not be given together with page_number')]
    : []
