/** A table of Markdown, in columns of one width, as `npm run check` wants it. */
export function markdownTable(...rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map(String))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map(line).join('\n')
}
