import { z } from "zod";

import { listCompaniesOfPerson } from "#server/core/access/companies/companies.ts";
import { getFactors, personAccount } from "#server/core/access/second-factors/factors.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { factorsObject, FactorsObject } from "#server/http/factors-object.ts";

export const getProfile = defineEndpoint({
  method: "GET",
  path: "/console/api/profile",
  summary: "Get your profile and second factors",
  permission: "console_door",
  privilege: null,
  response: z.object({
    email: z.string(),
    name: z.string(),
    second_factor: FactorsObject,
    companies: z.array(z.object({ id: z.string(), name: z.string(), is_this_one: z.boolean() })),
  }),
  refusals: [],
  handle: async ({ ctx, signedIn }) => {
    const { email, name } = signedIn;
    const factors = await getFactors(ctx.db, personAccount(email));
    const companies = await listCompaniesOfPerson(ctx.db, email);
    return {
      email,
      name,
      second_factor: factorsObject(factors),
      companies: companies.map(({ id, name }) => ({
        ...{ id, name, is_this_one: id === ctx.companyId },
      })),
    };
  },
});
