import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { getHead } from "#server/core/shared/audit/audit-head.ts";
import { countAudit, listAudit as list } from "#server/core/shared/audit/list-audit.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { auditFilter, AuditQuery, AuditRow, auditRow } from "./audit-row.ts";

export const listAudit = defineEndpoint({
  method: "GET",
  path: "/console/api/audit",
  summary: "List audit entries",
  permission: "console",
  privilege: "view_audit",
  query: PageQuery.and(AuditQuery.extend({ sort: sortQuery(["created"], "-created") })),
  response: countedListOf(AuditRow).extend({
    searched_to: z
      .object({ id: z.uuid(), created_at: z.string() })
      .nullable()
      .describe(
        "Where the search stopped; continue with `after` set to its ID. Null if it covered the whole log",
      ),
    head: z
      .object({
        sequence: z.int(),
        hash: z.string(),
        sealed_at: z.string(),
        signature: z.string().describe("Compact JWS"),
      })
      .nullable()
      .describe("The signed end of the hash chain"),
  }),
  refusals: ["invalid"],
  async handle({
    ctx,
    query: {
      limit,
      after,
      before,
      sort: { direction },
      ...query
    },
  }) {
    const filter = auditFilter(query);
    const page = await list(ctx, { limit, after, before, direction }, filter);
    const { searchedTo } = page;
    const head = (await getHead(ctx))?.head ?? null;
    return {
      ...countedList(page, await countAudit(ctx, filter, page.rows[0], direction), auditRow),
      searched_to: searchedTo && {
        id: searchedTo.id,
        created_at: consoleTimestamp(searchedTo.createdAt),
      },
      head: head && {
        ...{ sequence: head.sequence, hash: head.hash.toString("hex") },
        ...{ sealed_at: head.sealedAt, signature: head.signature },
      },
    };
  },
});
