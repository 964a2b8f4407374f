import { z } from "zod";

import { listHeld as list } from "#server/core/mail/guard/list-held.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { onHoldRow, OnHoldRow } from "./on-hold-row.ts";

export const listOnHold = defineEndpoint({
  method: "GET",
  path: "/console/api/on-hold",
  summary: "List mailboxes with mail on hold, newest first",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  response: z.object({ data: z.array(OnHoldRow) }),
  refusals: [],
  handle: async ({ ctx, signedIn }) => ({ data: (await list(ctx, signedIn)).map(onHoldRow) }),
});
