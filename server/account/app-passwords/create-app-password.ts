import { z } from "zod";

import { createAppPassword as create } from "#server/core/mailboxes/app-passwords/create-app-password.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const createAppPassword = defineEndpoint({
  method: "POST",
  path: "/account/api/app-passwords",
  summary: "Create an app password, which is shown once",
  permission: "account",
  privilege: null,
  body: z.object({ name: z.string().max(1000) }),
  bodyLimit: "directory",
  response: z.object({ id: z.uuid(), secret: z.string() }),
  refusals: ["invalid", "not_allowed", "not_found"],
  handle: ({ ctx, mailbox, body }) => create(ctx, mailbox.address, body.name),
});
