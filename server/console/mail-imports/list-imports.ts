import { z } from "zod";

import { listImports as list } from "#server/core/mailboxes/imports/imports.ts";
import { receivesMailHere } from "#server/core/domains/mta-sts/policy.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ImportRow, importRow, ImportState } from "./import-row.ts";

export const listImports = defineEndpoint({
  method: "GET",
  path: "/console/api/mail-imports",
  summary: "List imports of mail, unfinished ones first",
  permission: "console",
  privilege: "update_users",
  admitsUnitRoles: true,
  query: z.object({
    state: ImportState.optional(),
    search: z.string().max(200).optional().describe("Part of a mailbox, an account or a server"),
  }),
  response: z.object({
    data: z.array(ImportRow).describe("Up to a thousand"),
    domains: z
      .array(
        z.object({
          name: z.string(),
          receives: z.boolean().describe("Its MX record pointed here at the last check"),
        }),
      )
      .describe("The domains of these mailboxes"),
  }),
  refusals: ["invalid"],
  async handle({ ctx, signedIn, query }) {
    const imports = await list(ctx, signedIn, query);
    const names = new Set(imports.map(({ mailbox }) => addressDomain(mailbox)));
    const domains = [...names]
      .toSorted()
      .map(async (name) => ({ name, receives: await receivesMailHere(ctx.db, name) }));
    return { data: imports.map(importRow), domains: await Promise.all(domains) };
  },
});
