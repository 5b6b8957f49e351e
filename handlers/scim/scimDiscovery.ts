import { openDiscovery, scimDiscovery } from '../../domain/scim/scimDiscovery.ts'
import { scimEndpoint } from '../middleware/scimEndpoint.ts'

export const handler = scimEndpoint('scimDiscovery', { operation: scimDiscovery, open: openDiscovery })
