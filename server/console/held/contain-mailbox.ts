import { z } from "zod";

import { containMailbox as contain } from "#server/core/guard/contain-mailbox.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { HeldPath } from "./held-row.ts";

/** It does not wait for the mail server to answer: sessions that cannot be ended now end soon after. */
export const containMailbox = defineEndpoint({
  method: "POST",
  path: "/console/api/held/{mailbox}/contain",
  summary: "Shut a stranger out of a mailbox and throw away what is held",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: HeldPath,
  response: z.object({ temporary_password: z.string(), dropped: z.number() }),
  refusals: ["not_found", "invalid"],
  async handle({ ctx, signedIn, params }) {
    const { temporaryPassword, dropped } = await contain(ctx, params.mailbox, signedIn);
    return { temporary_password: temporaryPassword, dropped };
  },
});
