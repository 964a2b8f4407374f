import { countLabels } from "#app/console/(pages)/metrics/metric-labels.ts";
import { anyText, day, dayRange, oneOf, parseFilters } from "#app/console/ui/url-filters.ts";

import type { EmailStatus } from "./queries.ts";

/** The `key` filter's value for emails sent without an API key. */
export const NO_KEY = "none";

/**
 * `status` is a comma-separated list; `event` matches emails that had the event at any time, as metrics
 * count them; `from` and `to` are inclusive dates; without `mode: test`, the list shows live emails.
 */
const FILTERS = {
  search: anyText,
  recipient: anyText,
  subject: anyText,
  status: anyText,
  event: oneOf(countLabels),
  domain: anyText,
  mode: oneOf({ test: "Test" }),
  key: anyText,
  tag: anyText,
  from: day,
  to: day,
};

export const FILTER_NAMES = Object.keys(FILTERS) as (keyof typeof FILTERS)[];

/** The filters of the email list, as kept in the page's URL. */
export type EmailFilterParams = ReturnType<typeof parseEmailFilters>;

export const parseEmailFilters = (search: URLSearchParams) => parseFilters(search, FILTERS);

/** The query string for these filters. It drops the page position, so the list starts at the newest email. */
export function filterSearch(filters: EmailFilterParams): string {
  const entries = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(entries).toString()}`;
}

/** The filters as API parameters, with dates turned into timestamps in the reader's time zone. */
export const toListQuery = (filters: EmailFilterParams): Record<string, string> => ({
  ...filters,
  ...dayRange(filters),
});

export const statusesIn = ({ status = "" }: EmailFilterParams): EmailStatus[] =>
  status.split(",").filter(Boolean) as EmailStatus[];

/** The `status` filter with one status added, or removed if it was selected. */
export function toggleStatus(filters: EmailFilterParams, state: EmailStatus): string {
  const states = statusesIn(filters);
  const selected = states.includes(state)
    ? states.filter((other) => other !== state)
    : [...states, state];
  return selected.join(",");
}
