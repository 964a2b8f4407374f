/** A moment as the console's own API shows it: RFC 3339 in UTC, which browsers read. */
export function consoleTimestamp(moment: string): string {
  return new Date(moment).toISOString();
}
