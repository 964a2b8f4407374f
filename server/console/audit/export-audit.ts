import { z } from "zod";

import { exportPages, mapRows } from "#server/console/export-pages.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { type AuditHead, exportedHead, getHead } from "#server/core/shared/audit/audit-head.ts";
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
    const read = (page: DirectedPageRequest) => listAudit(ctx, page, filter);
    if (format === "json") {
      // Read before the entries, so that the file has every entry the head covers.
      const head = isUnfiltered(filter) ? (await getHead(ctx))?.head : null;
      const pages = exportPages(read, sort.direction, sealedRow);
      const rows = head ? withHead(ctx, head, pages) : pages;
      return streamDownload("audit-log.json", "application/json", toJson(rows));
    }
    const pages = exportPages(read, sort.direction, auditRow);
    return csvDownload("audit-log.csv", COLUMNS, mapRows(pages, toCells));
  },
});

type Row = ReturnType<typeof auditRow>;

const toCells = (row: Row) => [
  ...[row.created_at, row.actor, row.actor_kind, row.action, row.description],
  ...[JSON.stringify(row.details), row.id],
];

const isUnfiltered = (filter: AuditFilter) =>
  Object.values<unknown>(filter).every((one) => one === undefined);

function sealedRow(entry: AuditEntry) {
  const { sequence, salt, contentHash, hash, erasure } = entry;
  return {
    ...auditRow(entry),
    ...{ sequence, salt: hex(salt), content_hash: hex(contentHash), hash: hex(hash) },
    ...{ erasure, head: null as string | null },
  };
}

type SealedRow = ReturnType<typeof sealedRow>;

/** Adds the signed head to the last row, for `verifyAuditFile`. */
async function* withHead(
  ctx: Context,
  head: AuditHead,
  pages: AsyncIterable<SealedRow[]>,
): AsyncGenerator<SealedRow[]> {
  let last: SealedRow | undefined;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    if (last) yield [last];
    yield rows.slice(0, -1);
    last = rows.at(-1);
  }
  if (last) yield [{ ...last, head: await exportedHead(ctx, head) }];
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
