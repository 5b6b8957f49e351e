import { changeStatus } from '../records/channel.ts'

/** Archives a channel: it can still be read, but no roles are given on it. */
export const archiveChannel = changeStatus('ARCHIVED')
