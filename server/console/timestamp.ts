/** Formats a timestamp for the console's API: RFC 3339 in UTC. */
export function consoleTimestamp(timestamp: string): string {
  return new Date(timestamp).toISOString();
}
