import { z } from "zod";

import { deletePermanently as discard } from "#server/core/operations/deleted-items/deleted-items.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DeletedPath, DeletedRow, NOT_FOUND } from "./deleted-row.ts";

export const deletePermanently = defineEndpoint({
  method: "DELETE",
  path: "/console/api/deleted/{id}",
  summary: "Delete a deleted mailbox, alias, group or domain permanently",
  permission: "console",
  privilege: "owner",
  params: DeletedPath,
  notFound: NOT_FOUND,
  response: z.object({ kind: DeletedRow.shape.kind, name: z.string() }),
  refusals: ["not_found"],
  async handle({ ctx, params }) {
    const { kind, name } = await discard(ctx, params.id);
    return { kind, name };
  },
});
