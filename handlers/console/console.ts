import preferredEncodings from 'negotiator/lib/encoding.js'
import { refuse } from '../../domain/base/errors.ts'
import { lazily } from '../../domain/base/memory.ts'
import { etagsIn, isNamed } from '../../domain/request/etags.ts'
import type { Event, Response } from '../middleware/call.ts'
import { type BuiltFile, type Encoding, type FindFile, openFiles, tagOf } from '../middleware/consoleFiles.ts'
import { basePathOf, configOf, hasConsole, securityHeaders } from '../middleware/consoleSettings.ts'
import { outcomeOf, writeLine } from '../middleware/log.ts'
import { errorResponse, requestIdOf } from '../middleware/respond.ts'

type LambdaContext = { awsRequestId: string }

const handle = newConsole(process.env, () => openFiles(['console/dist', 'console/before']))

/** Answers GET and HEAD of /console and all paths below it: the page, its files and its settings. Nobody needs a token for them. */
export const handler = async (event: Event, { awsRequestId }: LambdaContext): Promise<Response> => {
  const startedAt = performance.now()
  const requestId = requestIdOf(event, awsRequestId)
  const response = handle(event, requestId)
  // The log does not show the path.
  const status = Number(response.statusCode)
  const line = { request_id: requestId, invocation_id: awsRequestId, endpoint: 'console', status }
  writeLine({ level: 'info', ...line }, outcomeOf(status, performance.now() - startedAt))
  return response
}

/** Paths with such an end are files, and no other path is. */
const ofFiles = /\.(js|css|svg|json)$/
const forEver = 'public, max-age=31536000, immutable'
const askAgain = 'no-cache'
const page = 'index.html'
const config = 'config.json'

/**
 * Makes the function of one environment. `open` opens the built files, whose paths are those from the folder in which `serverless
 * offline` runs, and in which Lambda starts functions.
 */
export function newConsole(env: NodeJS.ProcessEnv, open: () => FindFile) {
  const prepared = lazily(() => prepare(env, open()))
  return (event: Event, requestId: string): Response => {
    if (!hasConsole(env)) return errorResponse(refuse('NOT_FOUND'), { requestId })
    const { find, headers } = prepared()
    const name = event.pathParameters?.['proxy'] ?? ''
    const file = find(name) ?? (ofFiles.test(name) ? undefined : find(page))
    return file
      ? answerWith(file, event, { ...headers, 'x-request-id': requestId })
      : errorResponse(refuse('NOT_FOUND'), { requestId, headers })
  }
}

/** The files, with the page and the settings as they are in this environment. */
function prepare(env: NodeJS.ProcessEnv, built: FindFile): { find: FindFile; headers: Record<string, string> } {
  const source = built(page)
  if (!source) throw new Error('The console is not built: npm run console')
  const text = source.plain.toString('utf8').replaceAll('"/console/', `"${basePathOf(env)}/console/`)
  const made: Record<string, BuiltFile> = {
    [page]: fileOf(source.type, text),
    [config]: fileOf('application/json', JSON.stringify(configOf(env, tagOf(text).slice(3, 11)))),
  }
  const find = (name: string) => (Object.hasOwn(made, name) ? made[name] : built(name))
  return { find, headers: securityHeaders(env) }
}

const fileOf = (type: string, text: string): BuiltFile => ({
  type,
  tag: tagOf(text),
  isFixed: false,
  plain: Buffer.from(text),
  packed: {},
})

function answerWith(
  file: BuiltFile,
  { headers = {}, requestContext }: Event,
  common: Record<string, string>,
): Response {
  const [encoding, content] = bestOf(file, headers['accept-encoding'])
  const cached = { 'cache-control': file.isFixed ? forEver : askAgain, etag: file.tag, vary: 'accept-encoding' }
  const own = { ...common, ...cached }
  if (isNamed(tagsOf(headers['if-none-match']), file.tag.slice(2))) return { statusCode: 304, headers: own }
  const shown = { ...own, 'content-type': file.type, ...(encoding ? { 'content-encoding': encoding } : {}) }
  if (requestContext.http.method === 'HEAD') return { statusCode: 200, headers: shown }
  return { statusCode: 200, headers: shown, body: content.toString('base64'), isBase64Encoded: true }
}

const tagsOf = (header: string | undefined) => (header === undefined ? undefined : etagsIn(header))

/** The smallest form of a file that the caller takes. */
function bestOf({ plain, packed }: BuiltFile, accepted: string | undefined): [Encoding | undefined, Buffer] {
  const forms = Object.keys(packed) as Encoding[]
  const encoding = preferredEncodings(accepted, forms, ['br', 'gzip'])[0] as Encoding | undefined
  return [encoding, (encoding && packed[encoding]) ?? plain]
}
