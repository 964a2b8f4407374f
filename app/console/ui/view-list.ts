/** A named state of a list: its query string without the page position. */
export type View = { name: string; search: string };

const NOT_SAVED = ["after", "before", "new"];

/** The query string to save, the same for equal filters in any order; "?" without filters. */
export function viewSearch(search: URLSearchParams): string {
  const saved = new URLSearchParams(search);
  for (const name of NOT_SAVED) saved.delete(name);
  saved.sort();
  return `?${saved.toString()}`;
}

/** Replaces the view of the same name. Sorted by name. */
export const saveView = (views: View[], view: View): View[] =>
  [...deleteView(views, view.name), view].toSorted((a, b) => a.name.localeCompare(b.name));

export const deleteView = (views: View[], name: string): View[] =>
  views.filter((view) => view.name !== name);
