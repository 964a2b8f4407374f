import { z } from "zod";

import { restoreDeleted as restore } from "#server/core/operations/deleted-items/deleted-items.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DeletedPath, DeletedRow, NOT_FOUND } from "./deleted-row.ts";

export const restoreDeleted = defineEndpoint({
  method: "POST",
  path: "/console/api/deleted/{id}/restore",
  summary: "Restore a deleted mailbox, alias, group or domain",
  permission: "console",
  privilege: "owner",
  params: DeletedPath,
  notFound: NOT_FOUND,
  response: z.object({
    kind: DeletedRow.shape.kind,
    name: z.string(),
    lowered_quota_mb: z
      .int()
      .nullable()
      .describe("A mailbox's storage limit, if it was above the plan's maximum"),
  }),
  refusals: [
    ...(["not_found", "invalid", "already_exists", "not_allowed", "account_inactive"] as const),
    ...(["too_many_pending", "mail_server_error"] as const),
  ],
  async handle({ ctx, params }) {
    const { kind, name, loweredQuotaMb } = await restore(ctx, params.id);
    return { kind, name, lowered_quota_mb: loweredQuotaMb };
  },
});
