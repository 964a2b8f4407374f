import { z } from "zod";

import { listProvenDomains } from "#server/core/domains/list-proven-domains.ts";
import { readMailboxSizes } from "#server/core/mailboxes/read-mailbox-sizes.ts";
import { listUnits } from "#server/core/org-units/list-units.ts";
import { mayIn } from "#server/core/rights/rights.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getMailboxOptions = defineEndpoint({
  method: "GET",
  path: "/console/api/mailbox-options",
  summary: "Where a new mailbox may be, and how large",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  response: z.object({
    domains: z.array(z.string()).describe("Of the company, their ownership proven"),
    units: z
      .array(z.object({ id: z.int(), name: z.string(), depth: z.int() }))
      .describe("Those in which the person may make or change mailboxes, in the order of the tree"),
    default_quota_mb: z.int(),
    quota_mb_max: z.int().nullable(),
  }),
  refusals: [],
  async handle({ ctx, signedIn }) {
    const [domains, units, sizes] = await Promise.all([
      listProvenDomains(ctx),
      listUnits(ctx),
      readMailboxSizes(ctx),
    ]);
    const isReached = (id: number) =>
      mayIn(signedIn, "create_users", id) || mayIn(signedIn, "update_users", id);
    return {
      domains,
      units: units
        .filter(({ id }) => isReached(id))
        .map(({ id, name, depth }) => ({ id, name, depth })),
      default_quota_mb: sizes.defaultQuotaMb,
      quota_mb_max: sizes.quotaMbMax,
    };
  },
});
