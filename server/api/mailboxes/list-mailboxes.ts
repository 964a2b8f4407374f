import { z } from "zod";

import { requireVerifiedDomain } from "#server/core/mailboxes/addresses/addresses.ts";
import { listMailboxes as list } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { MailboxObject, mailboxObject } from "./mailbox-object.ts";

export const listMailboxes = defineEndpoint({
  method: "GET",
  path: "/mailboxes",
  summary: "List mailboxes",
  description:
    "Ordered by address; cursors are addresses. If the role of the key's creator is limited to an organizational unit, only mailboxes of that unit and its subunits are listed.",
  permission: "full_access",
  privilege: "view_users",
  admitsUnitRoles: true,
  query: PageQuery.and(
    z.object({
      domain: z
        .string({ error: "must appear only once" })
        .optional()
        .describe("Only mailboxes in this domain, which must be verified"),
    }),
  ),
  response: listOf(MailboxObject),
  refusals: ["invalid"],
  async handle({ ctx, key, query: { domain, ...page } }) {
    if (domain !== undefined) await requireVerifiedDomain(ctx, domain, "domain");
    return listObject(await list(ctx, key, page, { domain }), mailboxObject);
  },
});
