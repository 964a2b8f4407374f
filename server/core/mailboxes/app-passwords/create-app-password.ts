import { count, eq } from "drizzle-orm";

import { appPasswords, mailboxPolicies } from "#drizzle/schema/index.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { notifyMailboxUser } from "#server/core/mailboxes/mailboxes/notify-mailbox-user.ts";
import { lockMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { hashAppPassword, newAppPassword } from "./secret.ts";

const NAME_LENGTH_MAX = 60;
const PER_MAILBOX_MAX = 25;

/**
 * Creates an app password for a mailbox, and notifies its user. Only its hash is stored.
 *
 * @param name 1 to 60 characters
 * @param requireIdentity throws unless the user has just verified their identity
 * @throws Refusal `invalid` for the name, `not_allowed` if the unit's policy forbids app passwords or the
 *   mailbox has 25, `not_found` if the company has no such mailbox
 */
export async function createAppPassword(
  ctx: Context,
  mailbox: string,
  name: string,
  requireIdentity: () => Promise<void> = () => Promise.resolve(),
): Promise<{ id: string; secret: string }> {
  const trimmed = readAppPasswordName(name);
  await requireIdentity();
  const secret = newAppPassword();
  return inTransaction(ctx, async (tx) => {
    await lockMailbox(tx, mailbox);
    await requireMayOpen(tx, [mailbox]);
    await requireRoom(tx, mailbox);
    const [made] = await tx.db
      .insert(appPasswords)
      .values({ mailbox, name: trimmed, secretHash: hashAppPassword(secret) })
      .returning({ id: appPasswords.id });
    await notifyMailboxUser(tx, { mailbox, what: "app_password_created" });
    await recordAudit(tx, "app_password.created", { id: made!.id, mailbox, name: trimmed });
    return { id: made!.id, secret };
  });
}

function readAppPasswordName(name: string): string {
  const trimmed = name
    .replaceAll(/\p{Cc}/gu, "")
    .toWellFormed()
    .trim();
  if (trimmed === "") throw new Refusal("invalid", "name: must not be empty");
  if (trimmed.length > NAME_LENGTH_MAX)
    throw new Refusal("invalid", `name: must have at most ${NAME_LENGTH_MAX} characters`);
  return trimmed;
}

async function requireRoom({ db }: Context, mailbox: string): Promise<void> {
  const [policy] = await db
    .select({ areAllowed: mailboxPolicies.appPasswordsAllowed })
    .from(mailboxPolicies)
    .where(eq(mailboxPolicies.address, mailbox));
  if (!policy?.areAllowed)
    throw new Refusal("not_allowed", "Your company does not allow app passwords");
  const [made] = await db
    .select({ number: count() })
    .from(appPasswords)
    .where(eq(appPasswords.mailbox, mailbox));
  if (made!.number >= PER_MAILBOX_MAX)
    throw new Refusal(
      "not_allowed",
      `A mailbox can have at most ${PER_MAILBOX_MAX} app passwords. Revoke one that you no longer use`,
    );
}
