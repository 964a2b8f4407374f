import { useSearchParams } from "next/navigation";
import { useEffect, useEffectEvent } from "react";

type Way = "push" | "replace";

/** URL parameters to set, or a function that returns them for the current ones. "" removes one. */
export type SearchChange =
  Record<string, string> | ((current: URLSearchParams) => Record<string, string>);

/**
 * Changes the URL's query string without a request to the server. `useSearchParams` sees the change at once.
 *
 * @param search such as "?tab=settings"; "?" removes it
 * @param way "push" if Back should undo the change
 */
export function replaceSearch(search: string, way: Way = "replace"): void {
  const url = search === "?" ? window.location.pathname : search;
  if (way === "push") window.history.pushState(null, "", url);
  else window.history.replaceState(null, "", url);
}

/**
 * Changes URL parameters and returns to the list's first page. Starts from the current URL rather than
 * from rendered state, which may lag behind: a second change must not undo the first.
 *
 * @param way "replace" for text that is being typed
 */
export function updateSearch(change: SearchChange, way: Way = "push"): void {
  replaceSearch(changedSearch(window.location.search, change), way);
}

/** The query string with the changed parameters, without a page position. */
export function changedSearch(from: string | URLSearchParams, change: SearchChange): string {
  const search = new URLSearchParams(from);
  const changed = typeof change === "function" ? change(search) : change;
  for (const cursor of ["after", "before"]) search.delete(cursor);
  for (const [name, value] of Object.entries(changed))
    if (value === "") search.delete(name);
    else search.set(name, value);
  return `?${search}`;
}

/** `onNavigate` handler for links that only replace the query string, or change parameters as `updateSearch` does. */
export function navigateInPlace(
  search: string | SearchChange,
): (event: { preventDefault(): void }) => void {
  return (event) => {
    event.preventDefault();
    if (typeof search === "string") replaceSearch(search, "push");
    else updateSearch(search);
  };
}

/**
 * Opens a dialog when the URL has a parameter, such as `?new` or `?do=suspend`, and removes the parameter, so that reload
 * and Back don't open it again. Links come from anywhere: only open what asks for confirmation.
 *
 * @param param the parameter's name and value
 * @param may the admin has the privilege; false while unknown
 */
export function useOpenOnParam(
  [name, value]: [name: string, value: string],
  may: boolean,
  open: () => void,
): void {
  const hasParam = useSearchParams().get(name) === value;
  const openDialog = useEffectEvent(open);
  useEffect(() => {
    if (!hasParam || !may) return;
    const search = new URLSearchParams(window.location.search);
    search.delete(name);
    replaceSearch(`?${search.toString()}`);
    openDialog();
  }, [hasParam, may, name]);
}
