import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { Place } from "#app/console/ui/pages-of-list.tsx";
import type { exportAudit } from "#server/console/audit/export-audit.ts";
import type { listAudit } from "#server/console/audit/list-audit.ts";

const REFRESH_MS = 15_000;
export const ROWS_PER_PAGE = 30;

export type AuditRow = Answer<typeof listAudit>["data"][number];

/** Which entries are shown, as the URL keeps it: `from` and `to` are days where the reader is. */
export type AuditFilters = {
  actor_kind?: string;
  actor?: string;
  area?: string;
  search?: string;
  from?: string;
  to?: string;
};
type Asked = NonNullable<Parameters<typeof call<typeof exportAudit>>[2]["query"]>;

export const auditQuery = (place: Place, filters: AuditFilters) =>
  queryOptions({
    queryKey: ["audit", place, filters],
    queryFn: () =>
      call<typeof listAudit>("GET", "/console/api/audit", {
        query: { ...place, ...askedBy(filters), limit: String(ROWS_PER_PAGE) },
      }),
    // What is being read stays where it is: only the newest page follows.
    refetchInterval: place.after || place.before ? false : REFRESH_MS,
    placeholderData: keepPreviousData,
  });

/** A thousand entries of what the filters show, to be written into a file. */
export const readForExport = (filters: AuditFilters, after: string | null) =>
  call<typeof exportAudit>("GET", "/console/api/audit/export", {
    query: { ...askedBy(filters), ...(after !== null && { after }) },
  });

function askedBy({ from, to, actor_kind, area, ...rest }: AuditFilters): Asked {
  return {
    ...rest,
    // Names of others are refused by the server, in words.
    ...(actor_kind && { actor_kind: actor_kind as NonNullable<Asked["actor_kind"]> }),
    ...(area && { area: area as NonNullable<Asked["area"]> }),
    ...(from && { from: beginOf(from, 0) }),
    ...(to && { to: beginOf(to, 1) }),
  };
}

/** The moment at which a day begins where the reader is, or a later one. */
function beginOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
