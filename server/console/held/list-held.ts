import { z } from "zod";

import { listHeld as list } from "#server/core/guard/list-held.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { heldRow, HeldRow } from "./held-row.ts";

export const listHeld = defineEndpoint({
  method: "GET",
  path: "/console/api/held",
  summary: "List mailboxes whose sending is held, the newest first",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  response: z.object({ data: z.array(HeldRow) }),
  refusals: [],
  handle: async ({ ctx, signedIn }) => ({ data: (await list(ctx, signedIn)).map(heldRow) }),
});
