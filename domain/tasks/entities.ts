const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const greek =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigmaf Sigma Tau Upsilon Phi Chi ' +
  'Psi Omega'
const others =
  'amp & lt < gt > quot " apos \' ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ lsaquo ‹ rsaquo › bull • ' +
  'hellip … prime ′ Prime ″ euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ rArr ⇒ hArr ⇔ minus − lowast ∗ radic √ infin ∞ ' +
  'sum ∑ prod ∏ int ∫ part ∂ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ isin ∈ empty ∅ cap ∩ cup ∪ sub ⊂ sup ⊃ and ∧ or ∨ forall ∀ ' +
  'exist ∃ nabla ∇ permil ‰ dagger † Dagger ‡ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ check ✓ OElig Œ oelig œ Scaron Š ' +
  'scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ colon :'

/** What names stand for: those of HTML 4, and a few. */
const named: ReadonlyMap<string, string> = new Map([
  ...latin.split(' ').map((name, n): [string, string] => [name, String.fromCodePoint(0xa0 + n)]),
  ...greek.split(' ').flatMap((name, n): [string, string][] => [
    [name, String.fromCodePoint(0x391 + n)],
    [name.toLowerCase(), String.fromCodePoint(0x3b1 + n)],
  ]),
  ...[...others.matchAll(/(\S+) (\S+)/g)].map(([, name = '', one = '']): [string, string] => [name, one]),
  ['ensp', '\u2002'],
  ['emsp', '\u2003'],
  ['thinsp', '\u2009'],
  ['zwnj', '\u200C'],
  ['zwj', '\u200D'],
])

/** Text with the characters that its entities stand for; once, so that what was escaped twice stays escaped. */
export const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]*));/gi, (entity, decimal, hexadecimal, name) => {
    if (name) return named.get(name) ?? entity
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    return isCharacter(code) ? String.fromCodePoint(code) : ''
  })

/** Whether a number is that of a character: none that controls, no half of a pair, not the one for what is unreadable. */
const isCharacter = (code: number): boolean =>
  code <= 0x10ffff && /^[\t\n -~\u00A0-\uD7FF\uE000-\uFFFC\u{10000}-\u{10FFFF}]$/u.test(String.fromCodePoint(code))
