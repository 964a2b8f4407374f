import { type AnswerOf, downloadUrl, type InputOf } from "#app/console/console-client.ts";
import { listOf } from "#app/console/endpoint-queries.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { anyText, day, dayRange, oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";

const REFRESH_MS = 15_000;
export const ROWS_PER_PAGE = 30;

export type AuditRow = AnswerOf<"audit.list">["data"][number];
type AuditQuery = NonNullable<InputOf<"audit.list">["query"]>;
export type ActorKind = NonNullable<AuditQuery["actorKind"]>;
export type AuditArea = NonNullable<AuditQuery["area"]>;

export const ACTOR_KINDS: Record<ActorKind, string> = {
  admin: "Admins",
  api_key: "API keys",
  mailbox: "Mailbox users",
  operator: "Operators",
  system: "System",
};

export const AREAS: Record<AuditArea, string> = {
  domains: "Domains",
  mailboxes: "Mailboxes",
  groups: "Groups",
  keys: "API keys",
  webhooks: "Webhooks",
  sending: "Sending",
  held: "Quarantine",
  team: "Team",
  sign_in: "Sign-in",
  company: "Company",
};

export type AuditFilterValues = ReturnType<typeof useAuditFilters>;

/** `from` and `to` are days in the reader's time zone. */
export const useAuditFilters = () =>
  useUrlFilters({
    actorKind: oneOf(ACTOR_KINDS),
    actor: anyText,
    area: oneOf(AREAS),
    search: anyText,
    from: day,
    to: day,
  });

export const auditQuery = (
  place: PageCursor,
  filters: AuditFilterValues,
  sort: SortOf<typeof TIME_SORTS>,
) =>
  listOf(
    "audit.list",
    { ...place, ...toQuery(filters), sort, rows: ROWS_PER_PAGE },
    {
      // Refresh only the first page, so that entries don't move while someone reads.
      refetchInterval: place.after || place.before ? false : REFRESH_MS,
    },
  );

/** The file with the filtered entries, in the list's order. */
export const auditExportUrl = (
  filters: AuditFilterValues,
  sort: SortOf<typeof TIME_SORTS>,
  format: "csv" | "json",
) => downloadUrl("audit.export", { query: { ...toQuery(filters), sort, format } });

const toQuery = (filters: AuditFilterValues): AuditQuery => ({ ...filters, ...dayRange(filters) });
