import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { Context } from "#server/core/context.ts";
import { domainOf } from "#server/core/addresses/parse-address.ts";
import { groupsOfMember } from "#server/core/groups/groups-of-member.ts";
import type { ShownMailbox } from "#server/core/mailboxes/shown-mailbox.ts";
import { mayIn, type Rights } from "#server/core/rights/rights.ts";

import { MailboxRow, mailboxRow } from "./mailbox-row.ts";

/** A mailbox with what belongs to it, and what the person who asks may do with it. */
export const MailboxDetail = MailboxRow.extend({
  domain: z.string(),
  org_unit: z.object({ id: z.int(), name: z.string() }),
  aliases: z.array(z.string()),
  groups: z.array(z.string()).describe("The groups of the company that it is a member of"),
  created_at: z.string(),
  may: z.object({ update: z.boolean(), suspend: z.boolean(), reset_password: z.boolean() }),
});

export async function mailboxDetail(
  ctx: Context,
  rights: Rights,
  mailbox: ShownMailbox,
): Promise<z.input<typeof MailboxDetail>> {
  const { id: unit } = mailbox.orgUnit;
  return {
    ...mailboxRow(mailbox),
    domain: domainOf(mailbox.address),
    org_unit: mailbox.orgUnit,
    aliases: mailbox.aliases,
    groups: await groupsOfMember(ctx, mailbox.address),
    created_at: consoleTimestamp(mailbox.createdAt),
    may: {
      update: mayIn(rights, "update_users", unit),
      suspend: mayIn(rights, "suspend_users", unit),
      reset_password: mayIn(rights, "reset_user_passwords", unit),
    },
  };
}
