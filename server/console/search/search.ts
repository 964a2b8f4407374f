import { z } from "zod";

import { search as find, SEARCH_KINDS } from "#server/core/operations/search/search.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const search = defineEndpoint({
  method: "GET",
  path: "/console/api/search",
  summary: "Search mailboxes, groups, domains, keys, webhooks, admins, and emails",
  permission: "console",
  // Returns only kinds whose lists the admin can view.
  privilege: null,
  query: z.object({
    q: z.string().max(200),
    kinds: z
      .string()
      .transform((kinds) => kinds.split(","))
      .pipe(z.array(z.enum(SEARCH_KINDS)))
      .default([...SEARCH_KINDS])
      .describe("Comma-separated kinds to search; all if omitted"),
  }),
  response: z.object({
    data: z.array(
      z.object({
        kind: z.enum(SEARCH_KINDS),
        id: z.string(),
        title: z.string(),
        detail: z.string(),
        actions: z
          .array(z.enum(["reset_password", "suspend", "restore"]))
          .describe("What the admin can do with a mailbox"),
      }),
    ),
  }),
  refusals: ["invalid"],
  handle: async ({ ctx, signedIn, query: { q: text, kinds } }) => ({
    data: await find(ctx, signedIn, { text, kinds }),
  }),
});
