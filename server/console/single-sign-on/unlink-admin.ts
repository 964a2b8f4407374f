import { z } from "zod";

import { unlinkAdmin as unlink } from "#server/core/access/single-sign-on/providers.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

export const unlinkAdmin = defineEndpoint({
  method: "POST",
  path: "/console/api/single-sign-on/unlink",
  summary: "Unlink an admin from their account at the identity provider",
  permission: "console",
  privilege: "owner",
  body: z.object({ email: trimmedText(254) }),
  bodyLimit: "directory",
  response: z.object({ unlinked: z.literal(true) }),
  refusals: ["not_found", "invalid"],
  async handle({ ctx, body }) {
    await unlink(ctx, body.email);
    return { unlinked: true as const };
  },
});
