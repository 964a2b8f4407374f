import { z } from "zod";

import { listAudit } from "#server/core/shared/audit/list-audit.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { auditFilter, AuditQuery, AuditRow, auditRow } from "./audit-row.ts";

/** Rows of one answer: a browser asks for the next while it writes these. */
const LIMIT = 1_000;

export const exportAudit = defineEndpoint({
  method: "GET",
  path: "/console/api/audit/export",
  summary: "The next thousand entries that fit, newest first",
  permission: "console",
  privilege: "view_audit",
  query: AuditQuery.extend({ after: z.string().optional().describe("As the last answer said") }),
  response: z.object({
    data: z.array(AuditRow),
    next: z.string().nullable().describe("Where to go on; null at the end"),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query: { after = null, ...query } }) {
    const page = await listAudit(ctx, { limit: LIMIT, after, before: null }, auditFilter(query));
    const next = page.hasMore ? page.rows.at(-1)?.id : page.searchedTo?.id;
    return { data: page.rows.map(auditRow), next: next ?? null };
  },
});
