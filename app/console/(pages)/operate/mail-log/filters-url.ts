/** The URL of the newest entries with these filters. */
export function filtersUrl(filters: Record<string, string | undefined>): string {
  const given = Object.entries(filters).filter((pair): pair is [string, string] => !!pair[1]);
  return `?${new URLSearchParams(given).toString()}`;
}
