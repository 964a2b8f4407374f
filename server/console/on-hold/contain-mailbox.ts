import { z } from "zod";

import { containMailbox as contain } from "#server/core/mail/guard/contain-mailbox.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { OnHoldPath } from "./on-hold-row.ts";

/** Doesn't wait for the mail server: sessions it can't end now end shortly after. */
export const containMailbox = defineEndpoint({
  method: "POST",
  path: "/console/api/on-hold/{mailbox}/contain",
  summary: "Reset a compromised mailbox's credentials and delete its mail on hold",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  params: OnHoldPath,
  response: z.object({ temporary_password: z.string(), dropped: z.number() }),
  refusals: ["not_found", "invalid"],
  async handle({ ctx, signedIn, params }) {
    const { temporaryPassword, dropped } = await contain(ctx, params.mailbox, signedIn);
    return { temporary_password: temporaryPassword, dropped };
  },
});
