/** What a compiled validator says of one fault, as far as it is told on. */
export type SchemaFault = {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
}

/** A JSON pointer in parts: `/attributes/3/value` → attributes, 3, value. */
export const partsOf = (pointer: string): string[] => pointer.split('/').slice(1).map(unescaped)

/** A part of a JSON pointer as it was before it became one. */
export const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** The property that is missing or should not be there: the fault itself lies with the object around it. */
export function namedBy(keyword: string, params: Record<string, unknown>): string | undefined {
  if (keyword === 'required' || keyword === 'dependentRequired') return String(params['missingProperty'])
  return keyword === 'additionalProperties' ? String(params['additionalProperty']) : undefined
}

/** What is wrong, to follow the property's name. */
export function messageOf({ keyword, params }: Pick<SchemaFault, 'keyword' | 'params'>): string {
  if (keyword === 'additionalProperties') return 'is not known here'
  if (keyword === 'required') return 'is missing'
  if (keyword === 'dependentRequired') return `must be given together with ${params['property']}`
  if (keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`
  if (keyword === 'pattern') return 'has a form that is not allowed here'
  if (keyword === 'not') return 'is a reserved word'
  return limits[keyword]?.(params) ?? 'is not valid'
}

/** What a format asks for. */
const formats: Readonly<Record<string, string>> = {
  visible: 'must have a character that can be seen',
  'idn-email': 'must be an e-mail address, with up to 64 characters before the @',
}

type Say = (params: Record<string, unknown>) => string

/** The other keywords in ajv's words, which are made here so that no validator carries them along for every field. */
const limits: Record<string, Say> = {
  type: ({ type }) => `must be ${String(type).replaceAll(',', ' or ')}`,
  format: ({ format }) => formats[format as string] ?? 'has a form that is not allowed here',
  minLength: ({ limit }) => `must NOT have fewer than ${limit} characters`,
  maxLength: ({ limit }) => `must NOT have more than ${limit} characters`,
  minItems: ({ limit }) => `must NOT have fewer than ${limit} items`,
  maxItems: ({ limit }) => `must NOT have more than ${limit} items`,
  minimum: ({ limit }) => `must be >= ${limit}`,
  maximum: ({ limit }) => `must be <= ${limit}`,
  uniqueItems: () => 'must NOT have an item twice',
}
