// What stands in a bundle for the SDK's event streams: no operation of DynamoDB has any. It is a file of its own, and
// imports nothing: the SDK imports it only when it needs it, and bundlers drop nothing of what such a file imports.

const leftOut = () => {
  throw new Error('Streaming events was left out of the bundle: see local/build/eventStreamStandIn.ts')
}

export const eventStreamSerdeProvider = leftOut
export function EventStreamSerde() {
  leftOut()
}
