import { z } from "zod";

import { firstRunState } from "#server/core/companies/first-run.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getSetUp = defineEndpoint({
  method: "GET",
  path: "/console/api/set-up",
  summary: "Whether the first company can be made with this token",
  permission: "public",
  privilege: null,
  query: z.object({ token: z.string().max(200).optional() }),
  response: z.object({
    state: z.enum(["open", "token_needed", "finished"]),
    server: z
      .object({ hostname: z.string(), url: z.string(), is_local: z.boolean() })
      .nullable()
      .describe("What the configuration says of this server, for who holds the token"),
  }),
  refusals: ["invalid"],
  async handle({ db, query }) {
    const { state, server } = await firstRunState(db, query.token ?? "");
    if (!server) return { state, server };
    const { hostname, url, isLocal } = server;
    return { state, server: { hostname, url, is_local: isLocal } };
  },
});
