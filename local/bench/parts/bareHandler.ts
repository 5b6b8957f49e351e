import { get } from 'node:http'
import { arrayBuffer } from 'node:stream/consumers'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { JwtVerifier } from 'aws-jwt-verify'
import { SimpleJwksCache } from 'aws-jwt-verify/jwk'
import { sendBare, type Waves } from './bareCalls.ts'

// The handler that P10 compares with: it verifies the token and sends given requests, wave by wave, and does nothing else.

/** Like the package's fetcher, which only takes https. */
const fetchKeys = (uri: string): Promise<ArrayBuffer> =>
  new Promise((resolve, reject) => {
    get(uri, (answer) => resolve(arrayBuffer(answer))).on('error', reject)
  })

const client = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    endpoint: process.env['DYNAMODB_ENDPOINT'] ?? '',
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  }),
)
const verifier = JwtVerifier.create(
  {
    issuer: process.env['TOKEN_ISSUER'] ?? '',
    audience: process.env['TOKEN_AUDIENCE'] ?? '',
    jwksUri: process.env['TOKEN_JWKS_URI'] ?? '',
  },
  { jwksCache: new SimpleJwksCache({ fetcher: { fetch: fetchKeys } }) },
)

export async function handler({ headers, waves }: { headers: { authorization: string }; waves: Waves }) {
  await verifier.verify(headers.authorization.replace('Bearer ', ''))
  return { statusCode: 200, body: JSON.stringify(await sendBare(client, waves)) }
}
