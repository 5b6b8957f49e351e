/** The value of If-Match and If-None-Match: `*`, or tags in quotes, separated by commas. */
export const entityTags = {
  type: 'string',
  pattern: '^\\s*(\\*|(W/)?"[!#-~\\u0080-\\u00ff]*"(\\s*,\\s*(W/)?"[!#-~\\u0080-\\u00ff]*")*)\\s*$',
} as const

/**
 * Invisible characters, as part of a character class: white space, joiners, fillers, marks of direction and of
 * layout, also blank Braille.
 */
export const unseen = '\\s\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffb\\u{13430}-\\u{1343f}\\u{1d159}'
