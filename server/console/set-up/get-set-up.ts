import { z } from "zod";

import { setUpState } from "#server/core/companies/set-up.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getSetUp = defineEndpoint({
  method: "GET",
  path: "/console/api/set-up",
  summary: "Whether the first company can be made with this token",
  permission: "public",
  privilege: null,
  query: z.object({ token: z.string().max(200).optional() }),
  response: z.object({ state: z.enum(["open", "token_needed", "finished"]) }),
  refusals: ["invalid"],
  handle: async ({ db, query }) => ({ state: await setUpState(db, query.token ?? "") }),
});
