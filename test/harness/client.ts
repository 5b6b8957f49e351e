import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { documentClient } from '../../domain/table/documentClient.ts'
import { dynamoDBEndpoint, engine } from './endpoint.ts'
import { asPlainJson, wire } from './wire.ts'

/** Local databases require credentials, but check no signature. Making one takes a twentieth of the time of a test. */
const withoutSignature = {
  sign: async <T extends { headers: Record<string, string> }>(request: T): Promise<T> => {
    const scope = 'local/20261121/eu-central-1/dynamodb/aws4_request'
    request.headers['authorization'] = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`
    request.headers['x-amz-date'] = '20261121T000000Z'
    return request
  },
}

/** What the SDK adds to requests for AWS, and its log lines. Without them a request takes a tenth less processor time. */
const forAws = ['getUserAgentMiddleware', 'recursionDetectionMiddleware', 'loggerMiddleware']

/** A client for the database of this process, which spends less on each request than one for AWS. */
export function testClient(): DynamoDBDocumentClient {
  const endpoint = dynamoDBEndpoint()
  const isQuick = engine() === 'dynoxide'
  // Without time-outs: this machine may be busy.
  const client = documentClient({ DYNAMODB_ENDPOINT: endpoint }, isQuick ? wire(endpoint) : {})
  if (isQuick) asPlainJson(client.config.protocol as never)
  client.config.signer = async () => withoutSignature as never
  for (const name of forAws) client.middlewareStack.remove(name)
  return client
}
