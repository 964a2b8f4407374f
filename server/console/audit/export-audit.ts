import { z } from "zod";

import { exportPages, mapRows } from "#server/console/export-pages.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { listAudit } from "#server/core/shared/audit/list-audit.ts";
import { csvDownload } from "#server/http/csv-download.ts";
import { DownloadSchema, streamDownload } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { auditFilter, AuditQuery, auditRow } from "./audit-row.ts";

const COLUMNS = ["created_at", "actor", "actor_kind", "action", "description", "details", "id"];

export const exportAudit = defineEndpoint({
  method: "GET",
  path: "/console/api/audit/export",
  summary: "Export audit entries as CSV or JSON",
  permission: "console",
  privilege: "view_audit",
  query: AuditQuery.extend({
    format: z.enum(["csv", "json"]).optional().describe("`csv` by default"),
    sort: sortQuery(["created"], "-created"),
  }),
  response: DownloadSchema,
  refusals: ["invalid"],
  handle({ ctx, query: { format, sort, ...query } }) {
    const filter = auditFilter(query);
    const pages = exportPages((page) => listAudit(ctx, page, filter), sort.direction, auditRow);
    return format === "json"
      ? streamDownload("audit-log.json", "application/json", toJson(pages))
      : csvDownload("audit-log.csv", COLUMNS, mapRows(pages, toCells));
  },
});

type Row = ReturnType<typeof auditRow>;

const toCells = (row: Row) => [
  ...[row.created_at, row.actor, row.actor_kind, row.action, row.description],
  ...[JSON.stringify(row.details), row.id],
];

async function* toJson(pages: AsyncIterable<Row[]>) {
  let before = "[\n";
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(row)).join(",\n");
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}
