import { z } from "zod";

import { checkSource as check } from "#server/core/mailboxes/imports/import-source.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { accountFields, serverFields } from "./server-fields.ts";

export const checkSource = defineEndpoint({
  method: "POST",
  path: "/console/api/mail-imports/check",
  summary: "Sign in to an account on another server and list its folders",
  permission: "console",
  privilege: "update_users",
  admitsUnitRoles: true,
  body: z.object({ ...serverFields, ...accountFields }),
  response: z.object({
    folders: z.array(z.object({ source: z.string(), target: z.string(), messages: z.int() })),
    messages: z.int(),
  }),
  refusals: ["missing_required_field", "invalid", "rate_limit_exceeded"],
  async handle({ ctx, body: { secret_kind: kind, secret, ...server } }) {
    const folders = await check(ctx, { ...server, secret: { kind, value: secret } });
    return {
      folders: folders.map(({ source, target, messages }) => ({ source, target, messages })),
      messages: folders.reduce((sum, { messages }) => sum + messages, 0),
    };
  },
});
