/**
 * What shows nothing, as part of a character class: white space, and what is there to join, to fill, to set a direction or
 * to lay out other characters, blank Braille included.
 */
export const unseen = '\\s\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffb\\u{13430}-\\u{1343f}\\u{1d159}'
