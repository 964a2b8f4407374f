import { z } from "zod";

import { exportPages, mapRows } from "#server/console/export-pages.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { type AuditHead, getHead } from "#server/core/shared/audit/audit-head.ts";
import {
  type AuditEntry,
  type AuditFilter,
  listAudit,
} from "#server/core/shared/audit/list-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { DirectedPageRequest } from "#server/core/shared/paging/page.ts";
import { csvDownload } from "#server/http/csv-download.ts";
import { DownloadSchema, streamDownload } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { auditFilter, AuditQuery, auditRow } from "./audit-row.ts";

const COLUMNS = ["created_at", "actor", "actor_kind", "action", "description", "details", "id"];

export const exportAudit = defineEndpoint({
  method: "GET",
  path: "/console/api/audit/export",
  summary: "Export audit entries as CSV or JSON",
  description:
    "The JSON file can be verified with `posthouse audit verify FILE` if it has all entries.",
  permission: "console",
  privilege: "view_audit",
  query: AuditQuery.extend({
    format: z.enum(["csv", "json"]).optional().describe("`csv` by default"),
    sort: sortQuery(["created"], "-created"),
  }),
  response: DownloadSchema,
  refusals: ["invalid"],
  async handle({ ctx, query: { format, sort, ...query } }) {
    const filter = auditFilter(query);
    if (format === "json") {
      // Read the head once, before the entries: a newer head could name an entry that isn't in the file.
      const head = (await getHead(ctx))?.head;
      const read = (page: DirectedPageRequest) => listWithHead(ctx, page, { filter, head });
      const pages = exportPages(read, sort.direction, sealedRow);
      return streamDownload("audit-log.json", "application/json", toJson(pages));
    }
    const pages = exportPages((page) => listAudit(ctx, page, filter), sort.direction, auditRow);
    return csvDownload("audit-log.csv", COLUMNS, mapRows(pages, toCells));
  },
});

type Row = ReturnType<typeof auditRow>;

const toCells = (row: Row) => [
  ...[row.created_at, row.actor, row.actor_kind, row.action, row.description],
  ...[JSON.stringify(row.details), row.id],
];

type HeadedEntry = AuditEntry & { head: string | null };

/** A page of entries. The one at the chain's end has the signed head, for `verifyAuditFile`. */
async function listWithHead(
  ctx: Context,
  page: DirectedPageRequest,
  { filter, head }: { filter: AuditFilter; head: AuditHead | null | undefined },
) {
  const found = await listAudit(ctx, page, filter);
  const rows = found.rows.map((entry): HeadedEntry => ({
    ...entry,
    head: head && head.sequence === entry.sequence ? head.signature : null,
  }));
  return { ...found, rows };
}

function sealedRow({ head, ...entry }: HeadedEntry) {
  const { sequence, salt, contentHash, hash, erasure } = entry;
  return {
    ...auditRow(entry),
    ...{ sequence, salt: hex(salt), content_hash: hex(contentHash), hash: hex(hash) },
    ...{ erasure, head },
  };
}

const hex = (bytes: Buffer | null) => bytes && bytes.toString("hex");

async function* toJson(pages: AsyncIterable<object[]>) {
  let before = "[\n";
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(row)).join(",\n");
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}
