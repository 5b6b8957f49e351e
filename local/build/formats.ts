import type { Ajv } from 'ajv'

/** A character that can be seen, or a control character, which patterns refuse; empty texts are refused by their length. */
const visible = /^$|[^\s\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{13430}-\u{1343f}\u{1d159}]/u

// Letters of some scripts are joined or kept apart by characters that cannot be seen themselves.
const joiners = '\\u200c\\u200d'
const unseen = `[\\p{Default_Ignorable_Code_Point}--[${joiners}]]`
const inLocalPart = `[[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}${joiners}]--${unseen}--["\\(\\),.:;<>@\\[\\\\\\]]]`
const letter = '[[\\p{L}\\p{M}\\p{N}]--\\p{Default_Ignorable_Code_Point}]'
const label = `${letter}(?:[${letter}${joiners}\\-]*${letter})?`

/** E-mail addresses of any script (RFC 6531), the local part up to 64 characters, the host with a dot in it. */
const email = new RegExp(`^(?=[^@]{1,64}@)${inLocalPart}+(?:\\.${inLocalPart}+)*@(?:${label}\\.)+${label}$`, 'v')

/** Teaches the formats that are ours to a schema compiler; `idn-email` is JSON Schema's own name. */
export function addFormats(ajv: Ajv): void {
  ajv.addFormat('visible', visible)
  ajv.addFormat('idn-email', email)
}
