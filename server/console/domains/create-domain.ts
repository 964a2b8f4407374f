import { z } from "zod";

import { addDomain as add } from "#server/core/domains/domains/domains.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

export const createDomain = defineEndpoint({
  method: "POST",
  path: "/console/api/domains",
  summary: "Create a domain",
  permission: "console",
  privilege: "domains",
  body: z.object({ name: trimmedText(2000) }),
  response: z.object({ id: z.uuid() }),
  refusals: ["invalid", "not_allowed", "account_inactive", "too_many_pending"],
  handle: async ({ ctx, body }) => {
    const { domain } = await add(ctx, body, { via: "console" });
    return { id: domain.id };
  },
});
