import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { exportUrl } from "#app/console/ui/list-tools.tsx";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import type { listAudit } from "#server/console/audit/list-audit.ts";

const REFRESH_MS = 15_000;
export const ROWS_PER_PAGE = 30;

export type AuditAnswer = Answer<typeof listAudit>;
export type AuditRow = AuditAnswer["data"][number];

/** As kept in the URL. `from` and `to` are days in the reader's time zone. */
export type AuditFilterValues = {
  actor_kind?: string;
  actor?: string;
  area?: string;
  search?: string;
  from?: string;
  to?: string;
};
type AuditQuery = NonNullable<Parameters<typeof call<typeof listAudit>>[2]["query"]>;

export const auditQuery = (
  place: PageCursor,
  filters: AuditFilterValues,
  sort: SortOf<typeof TIME_SORTS>,
) =>
  queryOptions({
    queryKey: ["audit", place, filters, sort],
    queryFn: () =>
      call<typeof listAudit>("GET", "/console/api/audit", {
        query: { ...place, ...queryOf(filters), sort, limit: String(ROWS_PER_PAGE) },
      }),
    // Refresh only the first page, so that entries don't move while someone reads.
    refetchInterval: place.after || place.before ? false : REFRESH_MS,
    placeholderData: keepPreviousData,
  });

/** The file with the filtered entries, in the list's order. */
export const auditExportUrl = (
  filters: AuditFilterValues,
  sort: SortOf<typeof TIME_SORTS>,
  format: "csv" | "json",
) => exportUrl("/console/api/audit/export", { ...queryOf(filters), sort, format });

function queryOf({ from, to, actor_kind, area, ...rest }: AuditFilterValues): AuditQuery {
  return {
    ...rest,
    // The server rejects unknown values.
    ...(actor_kind && { actor_kind: actor_kind as NonNullable<AuditQuery["actor_kind"]> }),
    ...(area && { area: area as NonNullable<AuditQuery["area"]> }),
    ...(from && { from: startOfDay(from, 0) }),
    ...(to && { to: startOfDay(to, 1) }),
  };
}

/** The start of a day in the reader's time zone. */
function startOfDay(day: string, daysLater: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater).toISOString();
}
