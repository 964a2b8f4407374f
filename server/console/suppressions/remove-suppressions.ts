import { z } from "zod";

import { removeWithUndo } from "#server/core/sending/suppressions/remove-and-restore.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { boundedList } from "#server/http/bounded.ts";

/** The limit of a bulk action. */
const IDS_MAX = 1_000;

export const removeSuppressions = defineEndpoint({
  method: "POST",
  path: "/console/api/suppressions/remove",
  summary: "Remove suppressions",
  permission: "console",
  privilege: "api_controls",
  body: z.object({ ids: boundedList(z.uuid(), IDS_MAX) }),
  response: z.object({
    removed: z.number(),
    undo: z.string().describe("Token for restoring them, valid for an hour"),
  }),
  refusals: ["invalid"],
  handle: ({ ctx, body }) => removeWithUndo(ctx, body.ids),
});
