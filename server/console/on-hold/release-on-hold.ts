import { z } from "zod";

import { releaseSending } from "#server/core/mail/guard/release-sending.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { OnHoldPath } from "./on-hold-row.ts";

export const releaseOnHold = defineEndpoint({
  method: "POST",
  path: "/console/api/on-hold/{mailbox}/release",
  summary: "Release a mailbox's mail on hold",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: OnHoldPath,
  response: z.object({ released: z.number() }),
  refusals: ["not_found", "invalid"],
  handle: ({ ctx, signedIn, params }) => releaseSending(ctx, params.mailbox, signedIn),
});
