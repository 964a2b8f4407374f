/**
 * Keeps how a page is looked at in its URL, in place of what it said of that. Nothing is asked of the server
 * for it, and `useSearchParams` tells it at once: a second choice does not undo the first.
 *
 * @param search such as "?tab=settings"; "?" alone is none
 */
export function replaceSearch(search: string): void {
  window.history.replaceState(null, "", search === "?" ? window.location.pathname : search);
}

/**
 * Changes one thing of how a list is looked at, which begins at its first page again. It starts from what the
 * URL says now: the page itself may be a moment behind, and a second choice must not undo the first.
 *
 * @param change what is "" goes
 */
export function updateSearch(change: Record<string, string>): void {
  const search = new URLSearchParams(window.location.search);
  for (const place of ["after", "before"]) search.delete(place);
  for (const [name, value] of Object.entries(change))
    if (value === "") search.delete(name);
    else search.set(name, value);
  replaceSearch(`?${search}`);
}

/** For a link within the page, which then goes there by `replaceSearch`; `onNavigate` of it. */
export function navigateInPlace(search: string): (event: { preventDefault(): void }) => void {
  return (event) => {
    event.preventDefault();
    replaceSearch(search);
  };
}
