/**
 * Keeps how a page is looked at in its URL, in place of what it said of that. Nothing is asked of the server
 * for it, and `useSearchParams` tells it at once: a second choice does not undo the first.
 *
 * @param search such as "?tab=settings"; "?" alone is none
 */
export function showSearch(search: string): void {
  window.history.replaceState(null, "", search === "?" ? window.location.pathname : search);
}

/** For a link within the page, which then goes there by `showSearch`; `onNavigate` of it. */
export function inPlace(search: string): (event: { preventDefault(): void }) => void {
  return (event) => {
    event.preventDefault();
    showSearch(search);
  };
}
