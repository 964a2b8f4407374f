/** A LIKE pattern for lowercase text that contains the search text, taken literally. */
export function containsPattern(search: string): string {
  const text = search.toLowerCase().replaceAll("\0", "");
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
