import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { Context } from "#server/core/shared/context.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { listGroupsOfMember } from "#server/core/mailboxes/groups/group-list.ts";
import type { ShownMailbox } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";

import { MailboxRow, mailboxRow } from "./mailbox-row.ts";

export const MailboxDetail = MailboxRow.extend({
  domain: z.string(),
  aliases: z.array(z.string()),
  groups: z.array(z.string()).describe("The company's groups the mailbox belongs to"),
  has_second_factor: z.boolean(),
  signs_in_with_provider: z
    .boolean()
    .describe("App passwords work even if a password change is due"),
  created_at: z.string(),
});

export async function mailboxDetail(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  mailbox: ShownMailbox,
): Promise<z.input<typeof MailboxDetail>> {
  return {
    ...mailboxRow(callerPrivileges, mailbox),
    domain: addressDomain(mailbox.address),
    aliases: mailbox.aliases,
    groups: await listGroupsOfMember(ctx, mailbox.address),
    has_second_factor: mailbox.hasSecondFactor,
    signs_in_with_provider: mailbox.signsInWithProvider,
    created_at: consoleTimestamp(mailbox.createdAt),
  };
}
