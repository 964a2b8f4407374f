import { and, eq } from "drizzle-orm";

import { mailboxes, mailboxPolicies, type MailboxPolicy } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  selectShownMailboxes,
  type ShownMailbox,
} from "#server/core/mailboxes/mailboxes/shown-mailbox.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** What `/account` shows first, with what the company allows. */
export type Overview = Pick<ShownMailbox, "usedBytes" | "messages" | "quotaMb" | "aliases"> & {
  areAppPasswordsAllowed: boolean;
  isOutsideAllowed: boolean;
  passwordLengthMin: number;
  isQuarantineVisible: boolean;
};

/** @throws Refusal `not_found` */
export async function getOverview(ctx: Context, mailbox: string): Promise<Overview> {
  const [[shown], [policy]] = await Promise.all([
    selectShownMailboxes(ctx).where(
      and(eq(mailboxes.address, mailbox), eq(mailboxes.companyId, ctx.companyId)),
    ),
    ctx.db.select().from(mailboxPolicies).where(eq(mailboxPolicies.address, mailbox)),
  ]);
  if (!shown || !policy) throw new Refusal("not_found", "Mailbox not found");
  const { usedBytes, messages, quotaMb, aliases } = shown;
  return {
    ...{ usedBytes, messages, quotaMb, aliases },
    areAppPasswordsAllowed: policy.appPasswordsAllowed,
    isOutsideAllowed: policy.outsideAllowed,
    passwordLengthMin: policy.passwordLengthMin,
    isQuarantineVisible: isQuarantineVisible(policy),
  };
}

/** Mailbox users see their quarantine if they get digests of it or may release from it. */
export const isQuarantineVisible = ({
  quarantineDigest,
  quarantineRelease,
}: Pick<MailboxPolicy, "quarantineDigest" | "quarantineRelease">): boolean =>
  quarantineDigest === "daily" || quarantineRelease === "spam";
