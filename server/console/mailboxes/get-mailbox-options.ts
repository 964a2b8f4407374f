import { z } from "zod";

import { findMainDomain, listVerifiedDomains } from "#server/core/mailboxes/addresses/addresses.ts";
import { readMailboxSizes } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { listUnits } from "#server/core/mailboxes/org-units/unit-views.ts";
import { hasPrivilegeIn } from "#server/core/access/privileges/privileges.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getMailboxOptions = defineEndpoint({
  method: "GET",
  path: "/console/api/mailbox-options",
  summary: "List domains, units, and sizes available for mailboxes",
  permission: "console",
  privilege: ["view_users", "create_users", "update_users"],
  admitsUnitRoles: true,
  response: z.object({
    domains: z.array(z.string()).describe("Verified domains of the company"),
    main_domain: z.string().nullable().describe("The one with the most mailboxes"),
    units: z
      .array(
        z.object({
          id: z.int(),
          name: z.string(),
          depth: z.int(),
          may_create: z.boolean(),
          may_update: z.boolean(),
        }),
      )
      .describe("Units in which the admin can create or update mailboxes, in tree order"),
    default_quota_mb: z.int(),
    quota_mb_max: z.int().nullable(),
  }),
  refusals: [],
  async handle({ ctx, signedIn }) {
    const [domains, main, units, sizes] = await Promise.all([
      listVerifiedDomains(ctx),
      findMainDomain(ctx),
      listUnits(ctx),
      readMailboxSizes(ctx),
    ]);
    return {
      domains,
      main_domain: main,
      units: units
        .map(({ id, name, depth }) => ({
          ...{ id, name, depth },
          may_create: hasPrivilegeIn(signedIn, "create_users", id),
          may_update: hasPrivilegeIn(signedIn, "update_users", id),
        }))
        .filter((unit) => unit.may_create || unit.may_update),
      default_quota_mb: sizes.defaultQuotaMb,
      quota_mb_max: sizes.quotaMbMax,
    };
  },
});
