/** The URL's search for these filters. Another choice begins at the newest again. */
export function filtersUrl(filters: Record<string, string | undefined>): string {
  const given = Object.entries(filters).filter((pair): pair is [string, string] => !!pair[1]);
  return `?${new URLSearchParams(given).toString()}`;
}
