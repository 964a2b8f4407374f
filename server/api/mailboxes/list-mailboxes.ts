import { z } from "zod";

import { requireVerifiedDomain } from "#server/core/mailboxes/addresses/new-address.ts";
import { listMailboxes as list } from "#server/core/mailboxes/mailboxes/list-mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { MailboxObject, mailboxObject } from "./mailbox-object.ts";

export const listMailboxes = defineEndpoint({
  method: "GET",
  path: "/mailboxes",
  summary: "List mailboxes, ordered by address",
  description:
    "Cursors are addresses: give the last one of a page as `after` for the next. A creator whose role is limited to an organizational unit sees the mailboxes of that unit and those below it.",
  permission: "full_access",
  privilege: "view_users",
  admitsUnitRoles: true,
  query: PageQuery.and(
    z.object({
      domain: z
        .string({ error: "must be given once" })
        .optional()
        .describe("Only mailboxes in this verified domain of the company"),
    }),
  ),
  response: listOf(MailboxObject),
  refusals: ["invalid"],
  async handle({ ctx, key, query: { domain, ...page } }) {
    if (domain !== undefined) await requireVerifiedDomain(ctx, domain, "domain");
    return listObject(await list(ctx, key, page, { domain }), mailboxObject);
  },
});
