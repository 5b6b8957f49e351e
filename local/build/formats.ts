import type { Ajv } from 'ajv'
import { unseen } from '../../schemas/atoms.ts'

/** A character that can be seen, or a control character, which patterns refuse; empty texts are refused by their length. */
const visible = new RegExp(`^$|[^${unseen}]`, 'u')

// Letters of some scripts are joined or kept apart by characters that cannot be seen themselves.
const joiners = '\\u200c\\u200d'
const ignorable = `[\\p{Default_Ignorable_Code_Point}--[${joiners}]]`
const inLocalPart = `[[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}${joiners}]--${ignorable}--["\\(\\),.:;<>@\\[\\\\\\]]]`
const letter = '[[\\p{L}\\p{M}\\p{N}]--\\p{Default_Ignorable_Code_Point}]'
const label = `${letter}(?:[${letter}${joiners}\\-]*${letter})?`

/** E-mail addresses of any script (RFC 6531), the local part up to 64 characters, the host with a dot in it. */
const email = new RegExp(`^(?=[^@]{1,64}@)${inLocalPart}+(?:\\.${inLocalPart}+)*@(?:${label}\\.)+${label}$`, 'v')

/** Teaches the formats that are ours to a schema compiler; `idn-email` is JSON Schema's own name. */
export function addFormats(ajv: Ajv): void {
  ajv.addFormat('visible', visible)
  ajv.addFormat('idn-email', email)
}
