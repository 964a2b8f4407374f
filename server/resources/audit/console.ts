import { z } from "zod";

import {
  AUDIT_AREA_NAMES,
  type AuditEntry,
  listAudit,
} from "#server/core/shared/audit/list-audit.ts";
import type { DirectedPageRequest } from "#server/core/shared/paging/pages.ts";
import { csvDownload, exportPages, streamDownload } from "#server/http/downloads.ts";
import { pageEndpoints, read } from "#server/http/endpoint.ts";
import { momentQuery, PageQuery, searchedList, sortQuery } from "#server/http/lists.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";

import { describeEntry } from "./describe-entry.ts";

const ACTOR_KINDS = ["admin", "api_key", "mailbox", "operator", "system"] as const;

const Moment = momentQuery("must be an RFC 3339 timestamp");

const AuditQuery = z.object({
  actorKind: z.enum(ACTOR_KINDS).optional(),
  actor: z.string().max(320).optional(),
  area: z.enum(AUDIT_AREA_NAMES).optional(),
  search: z.string().max(200).optional(),
  from: Moment.optional(),
  to: Moment.optional(),
});

function auditRow(entry: AuditEntry) {
  const { id, actor, actorKind, action, details, createdAt } = entry;
  return {
    id,
    actor,
    action,
    details,
    description: describeEntry(action, details),
    actorKind,
    createdAt: consoleTimestamp(createdAt),
  };
}

/** An entry with the field names of exported files. */
function exportedEntry(entry: AuditEntry) {
  const { createdAt, actorKind, ...row } = auditRow(entry);
  return { ...row, actor_kind: actorKind, created_at: createdAt };
}

async function* toJson(pages: AsyncIterable<AuditEntry[]>) {
  let before = "[\n";
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(exportedEntry(row))).join(",\n");
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

export const auditConsole = pageEndpoints("console", "audit", {
  list: read({
    privilege: "view_audit",
    query: PageQuery.and(AuditQuery.extend({ sort: sortQuery(["created"], "-created") })),
    async handle({ ctx, query: { limit, after, before, sort, ...query } }) {
      const { direction } = sort;
      const page = await listAudit(ctx, { limit, after, before, direction }, query);
      return searchedList(page, auditRow);
    },
  }),

  export: read({
    privilege: "view_audit",
    query: AuditQuery.extend({
      format: z.enum(["csv", "json"]).optional(),
      sort: sortQuery(["created"], "-created"),
    }),
    async handle({ ctx, query: { format, sort, ...query } }) {
      const read = (page: DirectedPageRequest) => listAudit(ctx, page, query);
      const pages = exportPages(read, sort.direction);
      if (format === "json")
        return streamDownload("audit-log.json", "application/json", toJson(pages));
      return csvDownload("audit-log.csv", pages, {
        created_at: ({ createdAt }) => consoleTimestamp(createdAt),
        actor: ({ actor }) => actor,
        actor_kind: ({ actorKind }) => actorKind,
        action: ({ action }) => action,
        description: ({ action, details }) => describeEntry(action, details),
        details: ({ details }) => JSON.stringify(details),
        id: ({ id }) => id,
      });
    },
  }),
});
