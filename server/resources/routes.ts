import { z } from "zod";

import { config } from "#server/config.ts";
import { findRoute } from "#server/core/mail/group-posts/find-route.ts";
import { pageEndpoints, read } from "#server/http/endpoint.ts";

/** Where mail to an address goes. */
export const routesConsole = pageEndpoints("console", "routes", {
  find: read({
    privilege: "view_users",
    query: z.object({ address: z.string().max(320) }),
    handle: ({ ctx, signedIn, query: { address } }) =>
      findRoute(ctx, signedIn, { text: address, hostname: config().hostname }),
  }),
});
