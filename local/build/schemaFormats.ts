import type { Ajv } from 'ajv'
import { unseen } from '../../schemas/patterns.ts'

/**
 * Matches texts with a visible character. It also matches empty texts and control characters: other keywords refuse these.
 */
const visible = new RegExp(`^$|[^${unseen}]`, 'u')

// Invisible characters that join or separate the letters of some scripts.
const joiners = '\\u200c\\u200d'
const ignorable = `[\\p{Default_Ignorable_Code_Point}--[${joiners}]]`
const inLocalPart = `[[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}${joiners}]--${ignorable}--["\\(\\),.:;<>@\\[\\\\\\]]]`
const letter = '[[\\p{L}\\p{M}\\p{N}]--\\p{Default_Ignorable_Code_Point}]'
const label = `${letter}(?:[${letter}${joiners}\\-]*${letter})?`

/** E-mail addresses of any script (RFC 6531), the local part up to 64 characters, the host with a dot in it. */
const email = new RegExp(`^(?=[^@]{1,64}@)${inLocalPart}+(?:\\.${inLocalPart}+)*@(?:${label}\\.)+${label}$`, 'v')

/** Adds our formats to a schema compiler. */
export function addFormats(ajv: Ajv): void {
  ajv.addFormat('visible', visible)
  ajv.addFormat('idn-email', email)
}
