import type { AnswerOf } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
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

/** Refreshes only until the company's first request; after that, `newLogsQuery` finds new ones. */
export const logsQuery = (
  place: PageCursor,
  filters: LogFilterParams,
  sort: SortOf<typeof TIME_SORTS> = "-created",
  limit = ROWS_PER_PAGE,
) =>
  listOf(
    "logs.list",
    { ...place, ...filters, sort, rows: limit },
    { refetchInterval: ({ state }) => (state.data?.newest === null ? REFRESH_MS : false) },
  );

/** Requests since the page was loaded. It searches only these, so it's fast even with a rarely matching filter. */
export const newLogsQuery = (newest: string, filters: LogFilterParams) =>
  queryOf(
    "logs.list",
    { query: { ...filters, before: newest, limit: String(NEW_MAX) } },
    { refetchInterval: REFRESH_MS, gcTime: 0 },
  );

/** Never refetched, because log entries don't change. */
export const logQuery = (id: string) =>
  queryOf("logs.get", { params: { id } }, { staleTime: Infinity });
