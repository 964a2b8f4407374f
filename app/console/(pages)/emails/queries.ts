import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { countLabels } from "#app/console/(pages)/metrics/metric-labels.ts";
import { type AnswerOf, change, read, readUrl } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { anyText, day, dayRange, oneOf, parseFilters } from "#app/console/ui/url-filters.ts";

const REFRESH_MS = 5_000;
const STALE_MS = 60_000;
export const ROWS_PER_PAGE = 20;

export type EmailsPage = AnswerOf<"emails.list">;
export type EmailRow = EmailsPage["data"][number];
export type EmailState = EmailRow["status"];
export type EmailDetail = AnswerOf<"emails.get">;
export type EmailRecipient = EmailDetail["recipients"][number];
export type EmailEvent = AnswerOf<"emails.listEvents">["data"][number];
export type EmailChoices = AnswerOf<"emails.getChoices">;

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

export const statusesIn = ({ status = "" }: EmailFilterParams): EmailState[] =>
  status.split(",").filter(Boolean) as EmailState[];

/** The `status` filter with one status added, or removed if it was selected. */
export function toggleStatus(filters: EmailFilterParams, state: EmailState): string {
  const states = statusesIn(filters);
  const selected = states.includes(state)
    ? states.filter((other) => other !== state)
    : [...states, state];
  return selected.join(",");
}

/**
 * One page of emails, possibly collected over several requests: each searches a limited stretch and says how
 * far back it got. Refreshes automatically only if a single request filled the page.
 */
export const emailsQuery = (
  place: PageCursor,
  filters: EmailFilterParams,
  sort: SortOf<typeof TIME_SORTS> = "-created",
) => {
  const inputOf = (page: PageCursor) => ({
    query: { ...page, ...toListQuery(filters), sort, limit: String(ROWS_PER_PAGE) },
  });
  return infiniteQueryOptions({
    // The server, which renders the page, doesn't know the reader's time zone.
    meta: filters.from || filters.to ? {} : { url: readUrl("emails.list", inputOf(place)) },
    queryKey: ["emails", "list", place, filters, sort],
    queryFn: ({ pageParam }) => read("emails.list", inputOf(pageParam)),
    initialPageParam: place,
    getNextPageParam: ({ searchedTo: end }) =>
      end ? (place.before ? { before: end.id } : { after: end.id }) : undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
    placeholderData: keepPreviousData,
  });
};

export const emailEventsQuery = (id: string) => {
  const inputOf = (after?: string) => ({ params: { id }, query: { limit: "100", after } });
  return infiniteQueryOptions({
    meta: { url: readUrl("emails.listEvents", inputOf()) },
    queryKey: ["emails", "listEvents", { params: { id } }],
    queryFn: ({ pageParam }) => read("emails.listEvents", inputOf(pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.hasMore ? page.data.at(-1)?.id : undefined),
    refetchInterval: REFRESH_MS,
  });
};

/** A data URL of an image on another server. */
export const remoteImageQuery = (source: string) =>
  queryOptions({
    queryKey: ["emails", "loadRemoteImage", source],
    async queryFn() {
      const { type, content } = await change("emails.loadRemoteImage", { body: { url: source } });
      return { source, data: `data:${type};base64,${content}` };
    },
    staleTime: Infinity,
    retry: false,
  });

export const emailChoicesQuery = queryOf("emails.getChoices", {}, { staleTime: STALE_MS });

/** The lists, and one email with its timeline. */
export const queriesOfEmail = (id: string) =>
  [
    "emails.list",
    queryOf("emails.get", { params: { id } }),
    { queryKey: ["emails", "listEvents", { params: { id } }] },
  ] as const;
