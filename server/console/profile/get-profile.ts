import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { listCompaniesOfPerson } from "#server/core/access/companies/list-companies-of-person.ts";
import { getFactors } from "#server/core/access/second-factors/get-factors.ts";
import { relyingParty } from "#server/core/access/second-factors/relying-party.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});

export const getProfile = defineEndpoint({
  method: "GET",
  path: "/console/api/profile",
  summary: "Get your profile and second factors",
  permission: "console_door",
  privilege: null,
  response: z.object({
    email: z.string(),
    name: z.string(),
    second_factor: z.object({
      totp: z.boolean(),
      passkeys: z.array(Passkey),
      recovery_codes_left: z.number(),
      is_required: z.boolean().describe("At least one of your companies requires a second factor"),
      passkeys_possible: z
        .boolean()
        .describe("The console's URL supports passkeys (HTTPS and a domain name)"),
    }),
    companies: z.array(z.object({ id: z.string(), name: z.string(), is_this_one: z.boolean() })),
  }),
  refusals: [],
  handle: async ({ ctx, signedIn }) => {
    const { email, name } = signedIn;
    const factors = await getFactors(ctx.db, email);
    const companies = await listCompaniesOfPerson(ctx.db, email);
    return {
      email,
      name,
      second_factor: {
        totp: factors.hasTotp,
        passkeys: factors.passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
          id,
          name,
          created_at: consoleTimestamp(createdAt),
          last_used_at: lastUsedAt && consoleTimestamp(lastUsedAt),
        })),
        recovery_codes_left: factors.recoveryCodesLeft,
        is_required: factors.isRequired,
        passkeys_possible: relyingParty() !== null,
      },
      companies: companies.map(({ id, name }) => ({
        ...{ id, name, is_this_one: id === ctx.companyId },
      })),
    };
  },
});
