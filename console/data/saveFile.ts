/** Saves a text, or pieces of one, as a file of the person's device. */
export function saveFile(name: string, text: string | string[]): void {
  const url = URL.createObjectURL(new Blob([text].flat(), { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
