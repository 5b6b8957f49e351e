/**
 * The scopes of service tokens. READ: every GET below /api/admin/, except for service tokens and webhooks. ADMINISTRATORS allows no
 * endpoint by itself: with it, USERS and SCIM may also create, rename, disable and delete administrators. Each other scope
 * allows reading and changing one part of the API.
 */
export const scopes = [
  'READ',
  'USERS',
  'USER_GROUPS',
  'CHANNELS',
  'SETTINGS',
  'WEBHOOKS',
  'SCIM',
  'ADMINISTRATORS',
] as const
export type Scope = (typeof scopes)[number]

/** The scopes of a contract in words: `READ or USERS`, `READ, or USERS and CHANNELS together`. */
export const inWords = (
  scopes: readonly (Scope | readonly Scope[])[],
  nameOf = (scope: Scope): string => scope,
): string =>
  scopes
    .map((one) => (typeof one === 'string' ? ` or ${nameOf(one)}` : `, or ${listed(one.map(nameOf))} together`))
    .join('')
    .replace(/^,? or /, '')

const listed = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
