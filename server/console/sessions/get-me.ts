import { z } from "zod";

import { listCompaniesOfPerson } from "#server/core/access/companies/companies.ts";
import { PRIVILEGES } from "#server/core/access/privileges/privileges.ts";
import { findSendingDomain } from "#server/core/domains/domains/sending-domains.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const HeldPrivilege = z.enum([...PRIVILEGES, "owner"]);

export const getMe = defineEndpoint({
  method: "GET",
  path: "/console/api/me",
  summary: "Get the signed-in admin and their privileges",
  permission: "console_door",
  privilege: null,
  response: z.object({
    email: z.string(),
    name: z.string(),
    is_owner: z.boolean(),
    is_operator: z.boolean().describe("Operates this server"),
    second_factor_due: z.boolean().describe("The admin must set up a second factor first"),
    provider_id: z
      .string()
      .nullable()
      .describe("The identity provider that the session started with"),
    privileges: z.array(HeldPrivilege).describe("Held in the company or in some of its units"),
    whole_privileges: z.array(HeldPrivilege).describe("Held in the whole company"),
    companies: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .describe("Companies the admin can switch to, including this one"),
    company: z.object({
      id: z.string(),
      name: z.string(),
      sending_domain: z.string().nullable().describe("A domain that may send, for examples"),
    }),
    deleted_kept_days: z
      .int()
      .describe("How long deleted mailboxes, groups and domains can be restored"),
  }),
  refusals: [],
  handle: async ({ ctx, signedIn }) => ({
    email: signedIn.email,
    name: signedIn.name,
    is_owner: signedIn.isOwner,
    is_operator: signedIn.isOperator,
    second_factor_due: signedIn.isSecondFactorDue,
    provider_id: signedIn.providerId,
    privileges: [...new Set([...signedIn.privileges, ...signedIn.units.keys()])],
    whole_privileges: [...signedIn.privileges],
    companies: (await listCompaniesOfPerson(ctx.db, signedIn.email))
      .filter(({ id }) => signedIn.providerId === null || id === signedIn.companyId)
      .map(({ id, name }) => ({ id, name })),
    company: {
      id: signedIn.companyId,
      name: signedIn.companyName,
      sending_domain: await findSendingDomain(ctx),
    },
    deleted_kept_days: (await currentSettings(ctx.db)).keep_deleted_days,
  }),
});
