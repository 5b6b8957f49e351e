/** The path of a record that was created; its variables come from the path of the request and from the record's id. */
export function locationFrom(template: string, path: object, record: unknown): string {
  const { id } = record as { id?: unknown }
  const known: Record<string, unknown> = { ...path, ...(typeof id === 'object' ? id : {}) }
  return template.replaceAll(/\{(\w+)\}/g, (_variable, name: string) => encodeURIComponent(String(known[name] ?? id)))
}
