import { and, eq, type SQL, sql } from "drizzle-orm";

import { type Mailbox, mailboxes } from "#drizzle/schema/index.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  type Privilege,
  privilegeLabel,
  type UnitPrivilege,
} from "#server/universal/privileges.ts";
import { findOutage } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const mailboxNotFound = () => new Refusal("not_found", "Mailbox not found");

/**
 * Finds the company's mailbox with this address, ignoring case.
 *
 * @param among restricts which mailboxes the caller can see
 * @throws Refusal `not_found`
 */
export async function requireMailbox(ctx: Context, address: string, among?: SQL): Promise<Mailbox> {
  const [mailbox] = await select(ctx, address, among);
  if (!mailbox) throw mailboxNotFound();
  return mailbox;
}

/** Like `requireMailbox`, and locks the row until the transaction ends. */
export async function lockMailbox(ctx: Context, address: string): Promise<Mailbox> {
  const [mailbox] = await select(ctx, address).for("update");
  if (!mailbox) throw mailboxNotFound();
  return mailbox;
}

const select = (ctx: Context, address: string, among?: SQL) =>
  ctx.db
    .select()
    .from(mailboxes)
    .where(and(named(address), eq(mailboxes.companyId, ctx.companyId), among));

/** Matches nothing if the text isn't an address. */
function named(text: string): SQL {
  const address = readBareAddress(text);
  return address === null ? sql`false` : eq(mailboxes.address, address);
}

/** @throws Refusal `invalid_permission` if the caller lacks the privilege in the unit */
export function requirePrivilegeIn(
  callerPrivileges: HeldPrivileges,
  privilege: UnitPrivilege,
  unitId: number,
): void {
  if (hasPrivilegeIn(callerPrivileges, privilege, unitId)) return;
  throw new Refusal(
    "invalid_permission",
    `You need the ${privilegeLabel(privilege)} privilege in the mailbox's unit`,
  );
}

/** @throws Refusal `invalid_permission` if the caller lacks the privilege in the whole company */
export function requireCompanyPrivilege(
  callerPrivileges: HeldPrivileges,
  privilege: Privilege,
): void {
  if (callerPrivileges.privileges.has(privilege)) return;
  throw new Refusal("invalid_permission", `You need the ${privilegeLabel(privilege)} privilege`);
}

/**
 * Refuses to return Dovecot's counts while Dovecot is down.
 *
 * @throws Refusal `application_error`
 */
export async function requireMailServer({ db }: Pick<CompanyScope, "db">): Promise<void> {
  if (await findOutage(db))
    throw new Refusal("application_error", "The mail server can't be reached. Try again later");
}

/**
 * Checks Dovecot before a change, outside its transaction, since Dovecot may take seconds to respond.
 *
 * @returns a function to call last in the transaction, so that all other errors come first. Throws Refusal
 *   `mail_server_error` with Dovecot's error code if Dovecot is down or rejects commands.
 */
export async function checkMailServer({ db }: Pick<CompanyScope, "db">): Promise<() => void> {
  const outage = await findOutage(db);
  return () => {
    if (!outage) return;
    throw new Refusal("mail_server_error", `The mail server rejected the change: ${outage.code}`);
  };
}
