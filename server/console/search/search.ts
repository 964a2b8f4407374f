import { z } from "zod";

import { search as find } from "#server/core/operations/search/search.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const search = defineEndpoint({
  method: "GET",
  path: "/console/api/search",
  summary: "Search mailboxes, groups, domains, keys, webhooks, admins, and emails",
  permission: "console",
  // Returns only kinds whose lists the admin can view.
  privilege: null,
  query: z.object({ q: z.string().max(200) }),
  response: z.object({
    data: z.array(
      z.object({
        kind: z.enum(["mailbox", "group", "domain", "api_key", "webhook", "admin", "email"]),
        id: z.string(),
        title: z.string(),
        detail: z.string(),
      }),
    ),
  }),
  refusals: ["invalid"],
  handle: async ({ ctx, signedIn, query }) => ({ data: await find(ctx, signedIn, query.q) }),
});
