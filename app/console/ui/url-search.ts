/**
 * Replaces the URL's query string without a request to the server. `useSearchParams` sees the change at once.
 *
 * @param search such as "?tab=settings"; "?" removes it
 */
export function replaceSearch(search: string): void {
  window.history.replaceState(null, "", search === "?" ? window.location.pathname : search);
}

/**
 * Changes URL parameters and returns to the list's first page. Starts from the current URL rather than
 * from rendered state, which may lag behind: a second change must not undo the first.
 *
 * @param change parameters to set; "" removes one
 */
export function updateSearch(change: Record<string, string>): void {
  const search = new URLSearchParams(window.location.search);
  for (const cursor of ["after", "before"]) search.delete(cursor);
  for (const [name, value] of Object.entries(change))
    if (value === "") search.delete(name);
    else search.set(name, value);
  replaceSearch(`?${search}`);
}

/** `onNavigate` handler for links that only change the query string. */
export function navigateInPlace(search: string): (event: { preventDefault(): void }) => void {
  return (event) => {
    event.preventDefault();
    replaceSearch(search);
  };
}
