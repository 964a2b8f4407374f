import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { Place } from "#app/console/ui/pages-of-list.tsx";
import type { getLog } from "#server/console/logs/get-log.ts";
import type { listLogs } from "#server/console/logs/list-logs.ts";

const REFRESH_MS = 5_000;
export const ROWS_PER_PAGE = 50;
const NEW_MAX = 100;

export type LogPage = Answer<typeof listLogs>;
export type LogRow = LogPage["data"][number];
export type LogDetail = Answer<typeof getLog>;

export const METHODS = ["GET", "POST", "PATCH", "DELETE"] as const;

/** Which requests the list shows, by the names that the URL has for it. */
export type LogFilters = {
  status?: string | undefined;
  method?: (typeof METHODS)[number] | undefined;
  endpoint?: string | undefined;
  api_key?: string | undefined;
  user_agent?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

const list = (place: Place, filters: LogFilters, limit: number) =>
  call<typeof listLogs>("GET", "/console/api/logs", {
    query: { ...place, ...filters, limit: String(limit) },
  });

/** Read again by itself only until the first request is there: `newLogsQuery` tells what comes after. */
export const logsQuery = (place: Place, filters: LogFilters, limit = ROWS_PER_PAGE) =>
  queryOptions({
    queryKey: ["logs", place, filters, limit],
    queryFn: () => list(place, filters, limit),
    refetchInterval: ({ state }) => (state.data?.newest === null ? REFRESH_MS : false),
    placeholderData: keepPreviousData,
  });

/** What has come since a page was read: however rarely a filter fits, only that is looked through. */
export const newLogsQuery = (newest: string, filters: LogFilters) =>
  queryOptions({
    queryKey: ["new-logs", newest, filters],
    queryFn: () => list({ before: newest }, filters, NEW_MAX),
    refetchInterval: REFRESH_MS,
    gcTime: 0,
  });

/** It never changes. */
export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ["log", id],
    queryFn: () => call<typeof getLog>("GET", "/console/api/logs/{id}", { params: { id } }),
    staleTime: Infinity,
  });
