/** The pattern of `like` for lowercase text that contains what somebody searches, taken as it is. */
export function containing(search: string): string {
  const text = search.toLowerCase().replaceAll("\0", "");
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
