import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { listAudit as list } from "#server/core/shared/audit/list-audit.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { auditFilter, AuditQuery, AuditRow, auditRow } from "./audit-row.ts";

export const listAudit = defineEndpoint({
  method: "GET",
  path: "/console/api/audit",
  summary: "List who changed what, newest first",
  permission: "console",
  privilege: "view_audit",
  query: PageQuery.and(AuditQuery),
  response: listOf(AuditRow).extend({
    searched_to: z
      .object({ id: z.uuid(), created_at: z.string() })
      .nullable()
      .describe("How far the search came: a page after it goes on. Null when nothing was left out"),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query: { limit, after, before, ...query } }) {
    const page = await list(ctx, { limit, after, before }, auditFilter(query));
    const { searchedTo } = page;
    return {
      ...listObject(page, auditRow),
      searched_to: searchedTo && {
        id: searchedTo.id,
        created_at: consoleTimestamp(searchedTo.createdAt),
      },
    };
  },
});
