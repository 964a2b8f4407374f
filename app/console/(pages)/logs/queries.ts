import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type AnswerOf, type InputOf, read } from "#app/console/console-client.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

const REFRESH_MS = 5_000;
const ROWS_PER_PAGE = 50;
const NEW_MAX = 100;

export type LogPage = AnswerOf<"logs.list">;
export type LogRow = LogPage["data"][number];
export type LogDetail = AnswerOf<"logs.get">;

export const METHODS = ["GET", "POST", "PATCH", "DELETE"] as const;

/** The list's filters, as named in the URL. */
export type LogFilterParams = {
  status?: string | undefined;
  method?: (typeof METHODS)[number] | undefined;
  endpoint?: string | undefined;
  apiKey?: string | undefined;
  userAgent?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

type Query = NonNullable<InputOf<"logs.list">["query"]>;

const list = (query: Query, filters: LogFilterParams, limit: number) =>
  read("logs.list", {
    query: { ...query, ...filters, limit: String(limit) },
  });

/** Refreshes only until the company's first request; after that, `newLogsQuery` finds new ones. */
export const logsQuery = (
  place: PageCursor,
  filters: LogFilterParams,
  sort: SortOf<typeof TIME_SORTS> = "-created",
  limit = ROWS_PER_PAGE,
) =>
  queryOptions({
    queryKey: ["logs", place, filters, sort, limit],
    queryFn: () => list({ ...place, sort }, filters, limit),
    refetchInterval: ({ state }) => (state.data?.newest === null ? REFRESH_MS : false),
    placeholderData: keepPreviousData,
  });

/** Requests since the page was loaded. It searches only these, so it's fast even with a rarely matching filter. */
export const newLogsQuery = (newest: string, filters: LogFilterParams) =>
  queryOptions({
    queryKey: ["new-logs", newest, filters],
    queryFn: () => list({ before: newest }, filters, NEW_MAX),
    refetchInterval: REFRESH_MS,
    gcTime: 0,
  });

/** Never refetched, because log entries don't change. */
export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ["log", id],
    queryFn: () => read("logs.get", { params: { id } }),
    staleTime: Infinity,
  });
