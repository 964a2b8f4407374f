import { and, desc, eq, gt, sql } from "drizzle-orm";
import { v7 } from "uuid";

import { auditEntries, signInSteps } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  endMailboxSteps,
  endStep,
  findMailboxStep,
  newToken,
  startStep,
} from "#server/core/access/sign-in/steps.ts";
import { guardGuess } from "#server/core/access/sign-in/throttle.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { setPassword } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import {
  lockMailbox,
  requirePrivilegeIn,
} from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import { ownAddresses } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { isOwnAddress } from "#server/core/mailboxes/mailbox-rules/rule-fields.ts";
import { countRecentAudits } from "#server/core/shared/audit/list-audit.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import {
  type Context,
  createContext,
  inTransaction,
  lockCompany,
} from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { findMailbox, type KnownMailbox } from "./mailbox-sign-in.ts";

const KIND = "mailbox_password";
export const LINK_DAYS = 7;

/** Limits how much mail a company can send to addresses that an admin merely typed. */
const PER_HOUR_MAX = 100;

const HOUR_S = 3600;

/** Who gets the link, and the admin who asked for it. */
export type LinkRecipient = { to: string; sentBy: string };

/**
 * Parses the private address of a new mailbox user.
 *
 * @param own the addresses of the mailbox, which the user can't read yet
 * @throws Refusal `invalid`
 */
export function readPrivateAddress(written: string, own: string[], field: string): string {
  const address = readBareAddress(written.trim());
  if (address === null) throw new Refusal("invalid", `${field}: must be a valid address`);
  const unreadable = own.map((each) => each.toLowerCase());
  if (isOwnAddress(address.toLowerCase(), unreadable))
    throw new Refusal(
      "invalid",
      `${field}: must be an address that the mailbox user can already access`,
    );
  return address;
}

/**
 * Emails a private address a link with which the mailbox user sets the password. It works once, for a week, and until the
 * password is set another way, another link is sent, or the mailbox is suspended or deleted. Call in a transaction, under a
 * lock of the company.
 *
 * @throws Refusal `rate_limit_exceeded`; `invalid_permission` as `requireMayOpen`
 */
export async function sendPasswordLink(
  ctx: Context,
  mailbox: string,
  { to, sentBy }: LinkRecipient,
): Promise<void> {
  if ((await countRecentAudits(ctx, "mailbox.link_sent", HOUR_S)) >= PER_HOUR_MAX)
    throw new Refusal(
      "rate_limit_exceeded",
      `Posthouse emails at most ${PER_HOUR_MAX} password links an hour. Try again later, or use a temporary password`,
    );
  const token = await startLink(ctx, mailbox);
  await recordAudit(ctx, "mailbox.link_sent", { mailbox, to });
  await enqueue(ctx.db, "send_notice", {
    id: v7(),
    companyId: ctx.companyId,
    notice: {
      kind: "password_link",
      mailbox,
      to,
      sentBy,
      sealedToken: seal("password_link", token),
    },
  });
}

/**
 * Creates a link like `sendPasswordLink`, for an operator to give to the mailbox user. Call in a transaction.
 */
export async function createPasswordLink(ctx: Context, mailbox: string): Promise<string> {
  const token = await startLink(ctx, mailbox);
  await recordAudit(ctx, "mailbox.link_created", { mailbox });
  return passwordLink(token);
}

async function startLink(ctx: Context, mailbox: string): Promise<string> {
  await requireMayOpen(ctx, [mailbox]);
  const token = newToken();
  await startStep(ctx.db, { token, kind: KIND, mailbox, minutes: LINK_DAYS * 24 * 60 });
  return token;
}

/** The page to set the password. The token is in the fragment, which browsers don't send, so it isn't logged. */
export const passwordLink = (token: string) => `${config().baseUrl}/account/set-password#${token}`;

/** The mailbox of a link that works; null for any other, and while the mailbox or company is suspended. */
export async function findPasswordLink(db: Db, token: string): Promise<KnownMailbox | null> {
  const address = await findMailboxStep(db, token);
  const mailbox = address === null ? null : await findMailbox(db, address);
  return mailbox?.isSuspended === false ? mailbox : null;
}

type Guess = { token: string; clientAddress: string };

/**
 * Reads a link's mailbox and the shortest password that its unit allows.
 *
 * @throws Refusal `not_found` for a link that was used, expired, canceled or never existed; `rate_limit_exceeded`
 */
export async function readPasswordLink(
  db: Db,
  guess: Guess,
): Promise<{ address: string; passwordLengthMin: number }> {
  const { address, policy } = await requireLink(db, guess);
  return { address, passwordLengthMin: policy.passwordLengthMin };
}

async function requireLink(db: Db, { token, clientAddress }: Guess): Promise<KnownMailbox> {
  const look = () => findPasswordLink(db, token);
  const found = await guardGuess(db, { what: "mailbox", clientAddress }, look);
  if (!found) throw linkExpired();
  return found;
}

const linkExpired = () =>
  new Refusal(
    "not_found",
    "This link has expired or was already used. Ask your company’s admin to reset your password",
  );

/**
 * Sets the mailbox user's password through a link, which ends it and all sessions.
 *
 * @returns the mailbox's address
 * @throws Refusal `not_found` as `readPasswordLink`; `invalid` for a weak password, which leaves the link valid
 */
export async function setPasswordByLink(
  db: Db,
  { password, ...guess }: Guess & { password: string },
): Promise<string> {
  const { address, companyId } = await requireLink(db, guess);
  const ctx = createContext(db, companyId, { kind: "mailbox", address });
  await setPassword(ctx, address, password, {
    async spendLink(ctx) {
      if (!(await endStep(ctx.db, guess.token, KIND))) throw linkExpired();
    },
  });
  return address;
}

/**
 * Emails a new link with which the mailbox user sets the password (`sendPasswordLink`). Earlier links stop working.
 *
 * @returns the address that it is sent to
 * @throws Refusal `not_found`; `invalid_permission` if `callerPrivileges` don't include its unit; `invalid` for an address;
 *   `not_allowed` if the mailbox user has set a password, or the mailbox is suspended; `rate_limit_exceeded`
 */
export function resendPasswordLink(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
  { to: written, sentBy }: LinkRecipient,
): Promise<string> {
  return inTransaction(ctx, async (ctx) => {
    // For the limit of `sendPasswordLink`, and before the mailbox, as in `createMailbox`.
    await lockCompany(ctx);
    const mailbox = await lockMailbox(ctx, address);
    requirePrivilegeIn(callerPrivileges, "reset_user_passwords", mailbox.orgUnitId);
    await requireMayOpen(ctx, [mailbox.address]);
    const to = readPrivateAddress(written, await ownAddresses(ctx, mailbox.address), "to");
    if (mailbox.suspendedAt !== null)
      throw new Refusal("not_allowed", "The mailbox is suspended. Restore it first");
    if (!mailbox.forcePasswordChange)
      throw new Refusal(
        "not_allowed",
        "The mailbox user has already set a password. If they forgot it, reset it first",
      );
    await endMailboxSteps(ctx.db, mailbox.address);
    await sendPasswordLink(ctx, mailbox.address, { to, sentBy });
    return to;
  });
}

/** A link that works. */
export type PendingLink = {
  expiresAt: string;
  /** Null if the audit entry is gone. */
  sentTo: string | null;
};

/** Only the hash of a link is stored; the audit log has the address that it was sent to. */
export async function findPendingLink(
  { db, companyId }: Context,
  mailbox: string,
): Promise<PendingLink | null> {
  const sentAt = sql`${signInSteps.expiresAt} - make_interval(days => ${LINK_DAYS})`;
  const sentTo = db
    .select({ to: sql`${auditEntries.details} ->> 'to'` })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.companyId, companyId),
        sql`${auditEntries.createdAt} between ${sentAt} - interval '5 minutes' and ${sentAt} + interval '5 minutes'`,
        eq(auditEntries.action, "mailbox.link_sent"),
        sql`${auditEntries.details} ->> 'mailbox' = ${mailbox}`,
      ),
    )
    .orderBy(desc(auditEntries.createdAt))
    .limit(1);
  const [link] = await db
    .select({ expiresAt: signInSteps.expiresAt, sentTo: sql<string | null>`(${sentTo})` })
    .from(signInSteps)
    .where(
      and(
        eq(signInSteps.mailbox, mailbox),
        eq(signInSteps.kind, "mailbox_password"),
        gt(signInSteps.expiresAt, sql`statement_timestamp()`),
      ),
    )
    .orderBy(desc(signInSteps.expiresAt))
    .limit(1);
  return link ?? null;
}
