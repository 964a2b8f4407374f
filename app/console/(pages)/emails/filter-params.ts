import { countLabels } from "#app/console/(pages)/metrics/metric-labels.ts";

import type { EmailStatus } from "./queries.ts";

/** The filters of the email list, as kept in the page's URL. */
export type EmailFilterParams = Partial<Record<FilterName, string>>;

/**
 * `status` is a comma-separated list; `event` matches emails that had the event at any time, as metrics
 * count them; `from` and `to` are inclusive dates; without `mode: test`, the list shows live emails.
 */
export const FILTER_NAMES = [
  ...(["search", "recipient", "subject", "status", "event", "domain", "mode"] as const),
  ...(["key", "tag", "from", "to"] as const),
] as const;
type FilterName = (typeof FILTER_NAMES)[number];

/** The `key` filter's value for emails sent without an API key. */
export const NO_KEY = "none";

/** Reads the filters from a URL, ignoring invalid values. */
export function parseFilters(search: URLSearchParams): EmailFilterParams {
  const entries = FILTER_NAMES.flatMap((name) => {
    const value = search.get(name)?.trim();
    return value && isValid(name, value) ? [[name, value]] : [];
  });
  return Object.fromEntries(entries) as EmailFilterParams;
}

function isValid(name: FilterName, value: string): boolean {
  if (name === "mode") return value === "test";
  if (name === "event") return Object.hasOwn(countLabels, value);
  return (name !== "from" && name !== "to") || startOfDay(value) !== null;
}

/** The query string for these filters. It drops the page position, so the list starts at the newest email. */
export function filterSearch(filters: EmailFilterParams): string {
  const entries = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(entries).toString()}`;
}

/** The filters as API parameters, with dates turned into timestamps in the reader's time zone. */
export function toListQuery({ from, to, ...others }: EmailFilterParams): Record<string, string> {
  const [first, end] = [from && startOfDay(from), to && startOfDay(to, 1)];
  return {
    ...others,
    ...(first && { from: first.toISOString() }),
    ...(end && { to: end.toISOString() }),
  };
}

/** Midnight at the start of a date such as 2026-03-04, plus `later` days, in the reader's time zone. */
function startOfDay(day: string, later = 0): Date | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const moment = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

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
