import { z } from "zod";

import { getFirstRunState } from "#server/core/operations/companies/set-up.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

/** A POST, because URLs with tokens end up in logs. */
export const getSetUp = defineEndpoint({
  method: "POST",
  path: "/console/api/set-up/look",
  summary: "Check a setup token",
  permission: "same_origin",
  privilege: null,
  body: z.object({ token: z.string().max(200) }),
  response: z.object({
    state: z.enum(["open", "token_needed", "finished"]),
    server: z
      .object({ hostname: z.string(), url: z.string(), is_local: z.boolean() })
      .nullable()
      .describe("The server's configuration; only with a valid token"),
  }),
  refusals: ["invalid"],
  async handle({ db, body }) {
    const { state, server } = await getFirstRunState(db, body.token);
    if (!server) return { state, server };
    const { hostname, url, isLocal } = server;
    return { state, server: { hostname, url, is_local: isLocal } };
  },
});
