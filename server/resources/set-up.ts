import { z } from "zod";

import { getFirstRunState, setUp } from "#server/core/operations/companies/set-up.ts";
import { change, pageEndpoints } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

/** The first run: the first company and its owner. */
export const setUpConsole = pageEndpoints("console", "setUp", {
  /** A POST, because URLs with tokens end up in logs. */
  getSetUp: change({
    permission: "same_origin",
    body: z.object({ token: z.string().max(200) }),
    async handle({ db, body }) {
      const { state, server } = await getFirstRunState(db, body.token);
      if (!server) return { state, server };
      const { hostname, url, isLocal } = server;
      return { state, server: { hostname, url, isLocal } };
    },
  }),

  setUp: change({
    permission: "same_origin",
    body: z.object({
      token: z.string().max(200),
      companyName: trimmedText(200),
      owner: z.object({
        name: trimmedText(200),
        email: z.email({ error: "must be a valid address such as ann@example.com" }).max(254),
        password: z.string().max(1000),
      }),
    }),
    bodyLimit: "directory",
    handle: async ({ db, body, headers }) => {
      const { token, companyName, owner } = body;
      headers.append("set-cookie", await setUp(db, { token, companyName, owner }));
      return { signedIn: true as const };
    },
  }),
});
