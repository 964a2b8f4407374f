import { z } from "zod";

import { releaseSending } from "#server/core/guard/release-sending.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { HeldPath } from "./held-row.ts";

export const releaseHeld = defineEndpoint({
  method: "POST",
  path: "/console/api/held/{mailbox}/release",
  summary: "Send what is held of a mailbox, and hold it no longer",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: HeldPath,
  response: z.object({ released: z.number() }),
  refusals: ["not_found", "invalid"],
  handle: ({ ctx, signedIn, params }) => releaseSending(ctx, params.mailbox, signedIn),
});
