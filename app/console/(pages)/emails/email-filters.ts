import { countWords } from "#app/console/(pages)/metrics/metric-words.ts";

import type { EmailStatus } from "./queries.ts";

/** Which emails the list shows, as the page's URL keeps it. */
export type EmailFilters = Partial<Record<FilterName, string>>;

/**
 * `status` holds several states with commas; `event` is one that happened at any time, as metrics count them; `from` and `to` are days, the last one included.
 */
export const FILTER_NAMES = [
  ...(["recipient", "subject", "status", "event", "domain", "key", "tag", "from", "to"] as const),
] as const;
type FilterName = (typeof FILTER_NAMES)[number];

/** Emails sent without a key. */
export const NO_KEY = "none";

/** The filters of a URL. Days that are none count as not given. */
export function filtersIn(search: URLSearchParams): EmailFilters {
  const given = FILTER_NAMES.flatMap((name) => {
    const value = search.get(name)?.trim();
    return value && isUsable(name, value) ? [[name, value]] : [];
  });
  return Object.fromEntries(given) as EmailFilters;
}

function isUsable(name: FilterName, value: string): boolean {
  if (name === "event") return Object.hasOwn(countWords, value);
  return (name !== "from" && name !== "to") || startOfDay(value) !== null;
}

/** The URL of other filters. Another choice begins at the newest again. */
export function searchOf(filters: EmailFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}

/** The filters as the server wants them: moments in place of days, which begin where the reader is. */
export function requestOf({ from, to, ...others }: EmailFilters): Record<string, string> {
  const [first, end] = [from && startOfDay(from), to && startOfDay(to, 1)];
  return {
    ...others,
    ...(first && { from: first.toISOString() }),
    ...(end && { to: end.toISOString() }),
  };
}

/** Midnight of a day such as 2026-03-04, or so many days later, in the reader's zone. */
function startOfDay(day: string, later = 0): Date | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const moment = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

export const statesIn = ({ status = "" }: EmailFilters): EmailStatus[] =>
  status.split(",").filter(Boolean) as EmailStatus[];

/** The same filters with a state more, or less where it was chosen. */
export function withState(filters: EmailFilters, state: EmailStatus): EmailFilters {
  const states = statesIn(filters);
  const chosen = states.includes(state)
    ? states.filter((one) => one !== state)
    : [...states, state];
  return { ...filters, status: chosen.join(",") };
}
