import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { exportUrl } from "#app/console/ui/list-tools.tsx";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { dayRange } from "#app/console/ui/url-filters.ts";
import type { listAudit } from "#server/console/audit/list-audit.ts";

import type { AuditFilterValues } from "./filter-values.ts";

const REFRESH_MS = 15_000;
export const ROWS_PER_PAGE = 30;

export type AuditAnswer = Answer<typeof listAudit>;
export type AuditRow = AuditAnswer["data"][number];
type AuditQuery = NonNullable<Parameters<typeof call<typeof listAudit>>[2]["query"]>;
export type ActorKind = NonNullable<AuditQuery["actor_kind"]>;
export type AuditArea = NonNullable<AuditQuery["area"]>;

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

const queryOf = (filters: AuditFilterValues): AuditQuery => ({ ...filters, ...dayRange(filters) });
