/** A moment as the pages of `/account` read it: RFC 3339 in UTC. */
export function accountTimestamp(moment: string): string {
  return new Date(moment).toISOString();
}
