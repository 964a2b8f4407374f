import { createHash, randomInt } from "node:crypto";

import { and, count, desc, eq, isNull, lt, or, sql } from "drizzle-orm";

import {
  type AppPassword,
  appPasswords,
  mailboxes,
  mailboxPolicies,
} from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { scheduleMailAppEnd } from "#server/core/access/sessions/account-sessions.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { notifyMailboxUser } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { endMailAppSessions } from "#server/core/mailboxes/mailboxes/mailbox-sessions.ts";
import {
  lockMailbox,
  requireMailbox,
  requirePrivilegeIn,
} from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

const NAME_LENGTH_MAX = 60;
const PER_MAILBOX_MAX = 25;

/**
 * Creates an app password for a mailbox, and notifies its user. Only its hash is stored.
 *
 * @param name 1 to 60 characters
 * @param scope what it opens; everything by default
 * @param requireIdentity throws unless the user has just verified their identity
 * @throws Refusal `invalid` for the name, `not_allowed` if the unit's policy forbids app passwords or the
 *   mailbox has 25, `not_found` if the company has no such mailbox
 */
export async function createAppPassword(
  ctx: Context,
  mailbox: string,
  name: string,
  {
    scope = "all",
    requireIdentity = () => Promise.resolve(),
  }: { scope?: AppPassword["scope"]; requireIdentity?: () => Promise<void> } = {},
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
      .values({ mailbox, name: trimmed, scope, secretHash: hashAppPassword(secret) })
      .returning({ id: appPasswords.id });
    await notifyMailboxUser(tx, { mailbox, what: "app_password_created" });
    await recordAudit(tx, "app_password.created", { id: made!.id, mailbox, name: trimmed, scope });
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

export type ListedAppPassword = Omit<AppPassword, "mailbox" | "secretHash">;

/** Lists a mailbox's app passwords, at most 25, newest first. */
export async function listAppPasswords(
  { db, companyId }: Context,
  mailbox: string,
): Promise<ListedAppPassword[]> {
  return db
    .select({
      id: appPasswords.id,
      name: appPasswords.name,
      scope: appPasswords.scope,
      createdAt: appPasswords.createdAt,
      lastUsedAt: appPasswords.lastUsedAt,
      lastUsedFor: appPasswords.lastUsedFor,
      lastUsedFrom: appPasswords.lastUsedFrom,
    })
    .from(appPasswords)
    .innerJoin(mailboxes, eq(mailboxes.address, appPasswords.mailbox))
    .where(and(eq(appPasswords.mailbox, mailbox), eq(mailboxes.companyId, companyId)))
    .orderBy(desc(appPasswords.createdAt), desc(appPasswords.id));
}

/**
 * Deletes an app password and disconnects the mailbox's mail apps, whichever password they used; if the mail
 * server doesn't respond, a job disconnects them later.
 *
 * @throws Refusal `not_found` for the mailbox or the app password
 */
export async function deleteAppPassword(ctx: Context, mailbox: string, id: string): Promise<void> {
  if (!isUuid(id)) throw notFound();
  await inTransaction(ctx, async (tx) => {
    await lockMailbox(tx, mailbox);
    const [deleted] = await tx.db
      .delete(appPasswords)
      .where(and(eq(appPasswords.id, id), eq(appPasswords.mailbox, mailbox)))
      .returning({ name: appPasswords.name });
    if (!deleted) throw notFound();
    await recordAudit(tx, "app_password.deleted", { id, mailbox, name: deleted.name });
    await scheduleMailAppEnd(tx, mailbox);
  });
  await endMailAppSessions(ctx, mailbox);
}

const notFound = () => new Refusal("not_found", "App password not found");

/**
 * Deletes an app password on an admin's behalf and disconnects the mailbox's mail apps.
 *
 * @throws Refusal `not_found`; `invalid_permission` if `callerPrivileges` don't include the mailbox's unit
 */
export async function revokeAppPassword(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  mailbox: string,
  id: string,
): Promise<void> {
  const { address, orgUnitId } = await requireMailbox(ctx, mailbox);
  requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
  await deleteAppPassword(ctx, address, id);
}

/**
 * Records the use of an app password, at most once a minute.
 *
 * @param usedFor `imap`, `pop3`, `sieve`, `smtp` or `calendar`
 * @param from an IP address
 */
export async function recordAppPasswordUse(
  db: Db,
  id: string,
  { usedFor, from }: { usedFor: string; from: string },
): Promise<void> {
  await db
    .update(appPasswords)
    .set({ lastUsedAt: sql`clock_timestamp()`, lastUsedFor: usedFor, lastUsedFrom: from })
    .where(
      and(
        eq(appPasswords.id, id),
        or(
          isNull(appPasswords.lastUsedAt),
          lt(appPasswords.lastUsedAt, sql`clock_timestamp() - interval '1 minute'`),
        ),
      ),
    );
}

/** No look-alikes. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz";

const GROUPS = 5;
const GROUP_LENGTH = 4;

/** Creates an app password: 20 letters (90 bits) in groups. */
function newAppPassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]!).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

/** What people and apps put between or around the letters: spaces, all kinds of dashes, invisible characters. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}\p{Cc}\u2212]/gu;

/**
 * Hex SHA-256 of an app password as it was shown. Case and separators don't matter. A fast hash is enough for 90 random bits.
 */
export function hashAppPassword(typed: string): string {
  const letters = typed.replaceAll(SEPARATORS, "").toLowerCase();
  const shown = letters.match(/.{1,4}/gsu)?.join("-") ?? "";
  return createHash("sha256").update(shown).digest("hex");
}
