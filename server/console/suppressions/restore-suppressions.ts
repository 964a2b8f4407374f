import { z } from "zod";

import { restoreSuppressions as restore } from "#server/core/sending/suppressions/remove-and-restore.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const restoreSuppressions = defineEndpoint({
  method: "POST",
  path: "/console/api/suppressions/restore",
  summary: "Restore removed suppressions",
  permission: "console",
  privilege: "api_controls",
  body: z.object({ undo: z.string() }),
  response: z.object({ restored: z.number() }),
  refusals: ["invalid"],
  handle: async ({ ctx, body }) => ({ restored: await restore(ctx, body.undo) }),
});
