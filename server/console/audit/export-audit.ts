import { z } from "zod";

import { listAudit } from "#server/core/shared/audit/list-audit.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { auditFilter, AuditQuery, AuditRow, auditRow } from "./audit-row.ts";

const LIMIT = 1_000;

export const exportAudit = defineEndpoint({
  method: "GET",
  path: "/console/api/audit/export",
  summary: "Export matching audit entries, newest first, up to 1,000 per request",
  permission: "console",
  privilege: "view_audit",
  query: AuditQuery.extend({
    after: z.string().optional().describe("`next` of the previous response"),
  }),
  response: z.object({
    data: z.array(AuditRow),
    next: z.string().nullable().describe("Cursor of the next page; null on the last page"),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query: { after = null, ...query } }) {
    const page = await listAudit(ctx, { limit: LIMIT, after, before: null }, auditFilter(query));
    const next = page.hasMore ? page.rows.at(-1)?.id : page.searchedTo?.id;
    return { data: page.rows.map(auditRow), next: next ?? null };
  },
});
