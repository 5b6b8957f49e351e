import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { fromEnv } from '@aws-sdk/credential-provider-env'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** How long a call waits for a connection, and for an answer, in milliseconds. `callPolicy` says what happens then. */
export const patience = { connectionTimeout: 1000, requestTimeout: 1000, throwOnRequestTimeout: true }
/** A database on this machine shares its processors with its callers: a page of large users may take it seconds. */
const localPatience = { ...patience, requestTimeout: 10_000 }

const nothing = (): void => {}
/**
 * Logs nothing. It has no `info`, as the SDK would copy every answer for it, item by item: a seventh of the processor time of a
 * search.
 */
const logger = { debug: nothing, warn: nothing, error: nothing } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>

/** A client for DynamoDB: on AWS by default, elsewhere with DYNAMODB_ENDPOINT. A store needs one that tries once. */
export function documentClient(
  { DYNAMODB_ENDPOINT: endpoint, AWS_REGION: region = 'eu-central-1' }: NodeJS.ProcessEnv = process.env,
  requestHandler: object = endpoint ? localPatience : patience,
  maxAttempts = 1,
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    region,
    // Lambda puts its credentials into the environment; DynamoDB Local takes any.
    credentials: endpoint ? { accessKeyId: 'local', secretAccessKey: 'local' } : fromEnv(),
    ...(endpoint ? { endpoint } : {}),
    requestHandler,
    maxAttempts,
    logger,
  })
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
}
