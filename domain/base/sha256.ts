import { hash } from 'node:crypto'

/** The SHA-256 of a text, in the letters of URLs. */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url')
