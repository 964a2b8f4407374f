import { z } from "zod";

import { listScripts as list } from "#server/core/mailboxes/account/own-account.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const listScripts = defineEndpoint({
  method: "GET",
  path: "/account/api/scripts",
  summary: "List the Sieve scripts managed by mail apps",
  permission: "account",
  privilege: null,
  response: z.object({ data: z.array(z.object({ name: z.string(), is_active: z.boolean() })) }),
  refusals: ["application_error"],
  handle: async ({ ctx, mailbox }) => ({
    data: (await list(ctx, mailbox.address)).map(({ name, isActive }) => ({
      name,
      is_active: isActive,
    })),
  }),
});
