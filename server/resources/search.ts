import { z } from "zod";

import { SEARCH_KINDS, search } from "#server/core/operations/search/search.ts";
import { pageEndpoints, read } from "#server/http/endpoint.ts";

export const searchConsole = pageEndpoints("console", "search", {
  search: read({
    // Returns only kinds whose lists the admin can view.
    privilege: null,
    query: z.object({
      q: z.string().max(200),
      kinds: z
        .string()
        .transform((kinds) => kinds.split(","))
        .pipe(z.array(z.enum(SEARCH_KINDS)))
        .default([...SEARCH_KINDS]),
    }),
    handle: async ({ ctx, signedIn, query: { q: text, kinds } }) => ({
      data: await search(ctx, signedIn, { text, kinds }),
    }),
  }),
});
