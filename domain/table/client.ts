import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { fromEnv } from '@aws-sdk/credential-provider-env'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** The table's document client, from TABLE's environment: AWS by default, DYNAMODB_ENDPOINT for another DynamoDB. */
export function documentClient(env: NodeJS.ProcessEnv = process.env): DynamoDBDocumentClient {
  const endpoint = env.DYNAMODB_ENDPOINT
  const client = new DynamoDBClient({
    region: env.AWS_REGION ?? 'eu-central-1',
    // Lambda hands its credentials over in the environment; any are right for DynamoDB Local.
    credentials: endpoint ? { accessKeyId: 'local', secretAccessKey: 'local' } : fromEnv(),
    // A call that hangs is repeated, rather than taken along to the end of the function.
    ...(endpoint
      ? { endpoint }
      : { requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true } }),
    maxAttempts: 3,
  })
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
}
