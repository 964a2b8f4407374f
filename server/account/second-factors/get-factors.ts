import { z } from "zod";

import { getFactors as get, mailboxAccount } from "#server/core/access/second-factors/factors.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { factorsObject, FactorsObject } from "#server/http/factors-object.ts";

export const getFactors = defineEndpoint({
  method: "GET",
  path: "/account/api/second-factor",
  summary: "Get your second factors",
  permission: "account",
  privilege: null,
  response: z.object({ second_factor: FactorsObject }),
  refusals: [],
  handle: async ({ ctx, mailbox }) => ({
    second_factor: factorsObject(await get(ctx.db, mailboxAccount(mailbox.address))),
  }),
});
