/** RFC 3339 in UTC. */
export function accountTimestamp(moment: string): string {
  return new Date(moment).toISOString();
}
