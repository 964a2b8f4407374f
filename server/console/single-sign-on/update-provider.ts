import { z } from "zod";

import { changeProviderSettings } from "#server/core/access/single-sign-on/providers.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const updateProvider = defineEndpoint({
  method: "PATCH",
  path: "/console/api/single-sign-on",
  summary:
    "Choose who signs in with the identity provider, and whether Posthouse skips the second factor",
  permission: "console",
  privilege: "owner",
  body: z.object({
    required_for_admins: z.boolean().optional(),
    is_second_factor: z.boolean().optional(),
    allows_mailboxes: z.boolean().optional(),
    required_for_mailboxes: z.boolean().optional(),
  }),
  bodyLimit: "directory",
  response: z.object({ changed: z.literal(true) }),
  refusals: ["not_found", "not_allowed", "invalid"],
  async handle({ ctx, signedIn, body }) {
    await changeProviderSettings(ctx, signedIn, {
      requiredForAdmins: body.required_for_admins,
      isSecondFactor: body.is_second_factor,
      allowsMailboxes: body.allows_mailboxes,
      requiredForMailboxes: body.required_for_mailboxes,
    });
    return { changed: true as const };
  },
});
