import { randomBytes } from "node:crypto";

import { and, eq, sql } from "drizzle-orm";

import { addresses, type Mailbox, mailboxes } from "#drizzle/schema/index.ts";
import { hashPassword } from "#server/core/access/admins/password.ts";
import { requireNoPrivilegeEscalation } from "#server/core/access/privileges/grants.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import type { UnitPrivilege } from "#server/universal/privileges.ts";
import {
  lockVerifiedDomain,
  readNewAddress,
  reserveAddress,
} from "#server/core/mailboxes/addresses/addresses.ts";
import { requireMayEnter } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { joinGroups } from "#server/core/mailboxes/groups/group-members.ts";
import { chooseMailHost } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import { requireUnit } from "#server/core/mailboxes/org-units/units.ts";
import {
  createPasswordLink,
  type LinkRecipient,
  readPrivateAddress,
  sendPasswordLink,
} from "#server/core/mailboxes/sign-in/password-link.ts";
import { addressDomain, readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readEach, readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { insertAlias } from "./aliases.ts";
import {
  type GivenName,
  readName,
  readNewName,
  readQuotaMb,
  resolveQuota,
} from "./mailbox-fields.ts";
import { selectShownMailboxes, type ShownMailbox, viewableMailboxes } from "./mailbox-list.ts";
import { newTemporaryPassword } from "./mailbox-passwords.ts";
import { endMailAppSessions, revokeSessions } from "./mailbox-sessions.ts";
import { requireRoom } from "./plan-room.ts";
import {
  checkMailServer,
  lockMailbox,
  requireCompanyPrivilege,
  requireMailbox,
  requireMailServer,
  requirePrivilegeIn,
} from "./require-mailbox.ts";

export type NewMailbox = GivenName & {
  email: string;
  /** In MB; capped by the plan. */
  quotaMb?: number | undefined;
  /** Defaults to the root unit. */
  orgUnitId?: number | undefined;
  /** More addresses; requires `update_users` in the unit. */
  aliases?: string[] | undefined;
  /** Groups to join; requires `manage_groups`. */
  groups?: string[] | undefined;
  /** A private address that gets a link to set the password. */
  instructions?: LinkRecipient | undefined;
  /** Whether to return a link to set the password, for operators. */
  withLink?: boolean;
};

export const ALIASES_MAX = 20;
const GROUPS_MAX = 50;

/**
 * Creates a mailbox with a temporary password, its aliases and memberships, all or nothing. Serialized per company.
 *
 * @throws Refusal `invalid`, `missing_required_field`; `invalid_permission` if `callerPrivileges` don't allow one of the
 *   fields; `account_inactive`; `not_allowed` if the plan's limit is reached; `already_exists`; `rate_limit_exceeded` for
 *   instructions; `mail_server_error`
 */
export async function createMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  input: NewMailbox,
): Promise<{ mailbox: ShownMailbox; temporaryPassword: string; link: string | null }> {
  const { instructions } = input;
  const { address, name, asked, aliases, groups, to } = readFields({
    address: () => readNewAddress(input.email, "email"),
    name: () => readNewName(input),
    asked: () => (input.quotaMb === undefined ? undefined : readQuotaMb(input.quotaMb)),
    aliases: () => readAliases(input.aliases ?? [], input.email),
    groups: () => readGroups(input.groups ?? []),
    to: () =>
      instructions &&
      readPrivateAddress(
        instructions.to,
        [input.email, ...(input.aliases ?? [])],
        "instructions_to",
      ),
  });
  const requireAnswer = await checkMailServer(ctx);
  const temporaryPassword = newTemporaryPassword();
  const passwordHash = await hashPassword(temporaryPassword);
  const { mailbox, link } = await inTransaction(ctx, async (ctx) => {
    if (groups.length > 0) requireCompanyPrivilege(callerPrivileges, "manage_groups");
    const { orgUnitId = null } = input;
    const mailbox = { address, name, asked, orgUnitId, aliases, passwordHash };
    await insertMailbox(ctx, callerPrivileges, mailbox);
    await joinGroups(ctx, address, { addresses: groups, field: "groups" });
    if (to !== undefined) await sendPasswordLink(ctx, address, { ...instructions!, to });
    const link = input.withLink ? await createPasswordLink(ctx, address) : null;
    requireAnswer();
    return { mailbox: await readShownMailbox(ctx, address), link };
  });
  return { mailbox, temporaryPassword, link };
}

/** A parsed request. */
type MailboxToInsert = {
  address: string;
  name: string;
  /** The requested quota in MB. */
  asked: number | undefined;
  orgUnitId: number | null;
  aliases: string[];
  passwordHash: string;
};

type InsertOptions = {
  /** Caches, under a name, what is the same for all mailboxes of a transaction, such as a unit. */
  once?: <T>(what: string, read: () => Promise<T>) => Promise<T>;
  /** `requireRoom` was called for all mailboxes of the transaction. */
  hasRoom?: boolean;
};

/**
 * The database part of `createMailbox`, for use in the caller's transaction.
 *
 * @throws Refusal as `createMailbox`
 */
export async function insertMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  { address, name, asked, aliases, passwordHash, ...given }: MailboxToInsert,
  { once = (_, read) => read(), hasRoom = false }: InsertOptions = {},
): Promise<void> {
  const orgUnitId = await once(`unit ${given.orgUnitId}`, () => requireUnit(ctx, given.orgUnitId));
  requirePrivilegeIn(callerPrivileges, "create_users", orgUnitId);
  await once(`groups ${orgUnitId}`, () => requireMayEnter(ctx, orgUnitId));
  if (aliases.length > 0) requirePrivilegeIn(callerPrivileges, "update_users", orgUnitId);
  const domain = addressDomain(address);
  const domainId = await once(`domain ${domain}`, () => lockVerifiedDomain(ctx, domain, "email"));
  const aliasDomains = await lockDomains(ctx, aliases);
  if (!hasRoom) await requireRoom(ctx);
  await reserveAddress(ctx, { address, domainId, kind: "mailbox", field: "email" });
  await deletePredecessorRecords(ctx, address);
  const quotaMb = await once(`quota ${asked} ${orgUnitId}`, () =>
    resolveQuota(ctx, { asked, unitId: orgUnitId }),
  );
  await ctx.db.insert(mailboxes).values({
    address,
    companyId: ctx.companyId,
    domainId,
    orgUnitId,
    name,
    passwordHash,
    quotaMb,
    store: newStore(address),
    storeHost: await once("host", () => chooseMailHost(ctx.db)),
    forcePasswordChange: true,
  });
  await recordAudit(ctx, "mailbox.created", { mailbox: address, name, quotaMb, orgUnitId });
  for (const [at, alias] of aliases.entries()) {
    const domainId = aliasDomains[at]!;
    await insertAlias(ctx, { address: alias, domainId, mailbox: address, field: `aliases[${at}]` });
  }
}

function readAliases(written: string[], mailbox: string): string[] {
  if (written.length > ALIASES_MAX)
    throw new Refusal("invalid", `aliases: must have at most ${ALIASES_MAX} entries`);
  const seen = new Set([readBareAddress(mailbox)]);
  return readEach(written, (alias, at) => {
    const address = readNewAddress(alias, `aliases[${at}]`);
    if (seen.has(address))
      throw new Refusal("invalid", `aliases[${at}]: is already an address of this mailbox`);
    seen.add(address);
    return address;
  });
}

function readGroups(written: string[]): string[] {
  if (written.length > GROUPS_MAX)
    throw new Refusal("invalid", `groups: must have at most ${GROUPS_MAX} entries`);
  return readEach(written, (group, at) => {
    const address = readBareAddress(group);
    if (address === null)
      throw new Refusal("invalid", `groups[${at}]: is not a group of your company`);
    return address;
  });
}

async function lockDomains(ctx: Context, aliases: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [at, alias] of aliases.entries())
    ids.push(await lockVerifiedDomain(ctx, addressDomain(alias), `aliases[${at}]`));
  return ids;
}

/** Deletes what Dovecot or a sign-in recorded late about a deleted mailbox with this address. */
export async function deletePredecessorRecords(ctx: Context, address: string): Promise<void> {
  await ctx.db.execute(sql`
    with usage as (delete from mailbox_usage where address = ${address}),
      sign_ins as (delete from mailbox_sign_ins where address = ${address})
    delete from sign_in_networks where account = ${address}`);
}

/** A folder that no mailbox has used before; see `mailboxes.store`. */
function newStore(address: string): string {
  const localPart = address.slice(0, address.lastIndexOf("@"));
  return `${addressDomain(address)}/${localPart}-${randomBytes(4).toString("hex")}`;
}

/**
 * @throws Refusal `not_found`, also if `callerPrivileges` don't include viewing it; `application_error` while Dovecot
 *   is down, because it provides the counts
 */
export async function getMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
): Promise<ShownMailbox> {
  const mailbox = await requireMailbox(ctx, address, viewableMailboxes(callerPrivileges));
  await requireMailServer(ctx);
  return readShownMailbox(ctx, mailbox.address);
}

/** Reads the current state, within the caller's transaction if there is one. */
async function readShownMailbox(ctx: Context, address: string): Promise<ShownMailbox> {
  const [mailbox] = await selectShownMailboxes(ctx).where(
    and(eq(addresses.address, address), eq(addresses.companyId, ctx.companyId)),
  );
  return mailbox!;
}

/** Omitted fields keep their values. */
export type MailboxChange = {
  name?: string | undefined;
  /** In MB; capped by the plan. */
  quotaMb?: number | undefined;
  active?: boolean | undefined;
  forcePasswordChange?: boolean | undefined;
  /** The new unit. Moving comes first, so the other changes need privileges there. */
  orgUnitId?: number | undefined;
};

const PRIVILEGES: Record<keyof FieldChange, UnitPrivilege> = {
  name: "update_users",
  quotaMb: "update_users",
  active: "suspend_users",
  forcePasswordChange: "reset_user_passwords",
};

/**
 * Changes a mailbox, all fields or none. A suspended mailbox still receives mail, but its user is signed out
 * and can't sign in; a forced password change signs them out too.
 *
 * @throws Refusal `not_found`, `invalid`; `invalid_permission` if `callerPrivileges` don't allow one of the changes;
 *   `mail_server_error`
 */
export async function updateMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
  { orgUnitId, ...asked }: MailboxChange,
): Promise<ShownMailbox> {
  const change = {
    ...asked,
    ...readFields({
      name: () => (asked.name === undefined ? undefined : readName(asked.name)),
      quotaMb: () => (asked.quotaMb === undefined ? undefined : readQuotaMb(asked.quotaMb)),
    }),
  };
  const requireAnswer = await checkMailServer(ctx);
  // Another unit may be a member of other groups, with other shared mailboxes.
  const transaction = orgUnitId === undefined ? inTransaction : inRevokingTransaction;
  const { shown, isSignedOut } = await transaction(ctx, async (ctx) => {
    if (orgUnitId !== undefined) await moveMailbox(ctx, callerPrivileges, address, orgUnitId);
    const mailbox = await lockMailbox(ctx, address);
    for (const [field, privilege] of Object.entries(PRIVILEGES))
      if (change[field as keyof typeof change] !== undefined)
        requirePrivilegeIn(callerPrivileges, privilege, mailbox.orgUnitId);
    const isSignedOut = await write(ctx, mailbox, change);
    requireAnswer();
    return { shown: await readShownMailbox(ctx, mailbox.address), isSignedOut };
  });
  if (isSignedOut) await endMailAppSessions(ctx, shown.address);
  return shown;
}

/** @returns whether the change signs the user out */
async function write(ctx: Context, mailbox: Mailbox, change: FieldChange): Promise<boolean> {
  const { address, name, quotaMb, forcePasswordChange } = mailbox;
  const isActive = mailbox.suspendedAt === null;
  const before: Fields = { name, quotaMb, forcePasswordChange, active: isActive };
  const after = { ...before, ...withoutUndefined(change) };
  if (change.quotaMb !== undefined)
    after.quotaMb = await resolveQuota(ctx, { asked: change.quotaMb, unitId: mailbox.orgUnitId });
  const changed = differences(before, after);
  if (Object.keys(changed).length === 0) return false;

  const { active, ...fields } = after;
  const suspendedAt = active ? null : (mailbox.suspendedAt ?? sql`clock_timestamp()`);
  await ctx.db
    .update(mailboxes)
    .set({ ...fields, suspendedAt })
    .where(eq(mailboxes.address, address));
  const isSignedOut = (isActive && !active) || (!forcePasswordChange && fields.forcePasswordChange);
  if (isSignedOut) await revokeSessions(ctx, address);
  await recordAudit(ctx, auditAction(changed), { mailbox: address, changed });
  return isSignedOut;
}

type FieldChange = Omit<MailboxChange, "orgUnitId">;

type Fields = { name: string; quotaMb: number; forcePasswordChange: boolean; active: boolean };

type Differences = Partial<Record<keyof Fields, { from: unknown; to: unknown }>>;

const withoutUndefined = (change: FieldChange): Partial<Fields> =>
  Object.fromEntries(Object.entries<unknown>(change).filter(([, value]) => value !== undefined));

function differences(before: Fields, after: Fields): Differences {
  const names = Object.keys(before) as (keyof Fields)[];
  return Object.fromEntries(
    names
      .filter((name) => before[name] !== after[name])
      .map((name) => [name, { from: before[name], to: after[name] }]),
  );
}

function auditAction({ active }: Differences) {
  if (!active) return "mailbox.updated";
  return active.to === true ? "mailbox.restored" : "mailbox.suspended";
}

/**
 * Moves a mailbox to another unit, whose policies and memberships then apply. Its quota stays. Call in `inRevokingTransaction`.
 *
 * @throws Refusal `not_found` for the mailbox, `invalid` for a unit of another company, `invalid_permission`
 *   if `callerPrivileges` don't include both units or hold more privileges in the new one
 */
export async function moveMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
  unitId: number,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const to = await requireUnit(ctx, unitId);
    const mailbox = await lockMailbox(ctx, address);
    for (const unit of [mailbox.orgUnitId, to])
      requirePrivilegeIn(callerPrivileges, "update_users", unit);
    if (mailbox.orgUnitId === to) return;
    requireNoPrivilegeEscalation(callerPrivileges, [mailbox.orgUnitId], to);
    await requireMayEnter(ctx, to);
    await ctx.db
      .update(mailboxes)
      .set({ orgUnitId: to })
      .where(eq(mailboxes.address, mailbox.address));
    await enqueue(ctx.db, "refresh_forwards", {
      companyId: ctx.companyId,
      mailbox: mailbox.address,
    });
    const details = { mailbox: mailbox.address, from: mailbox.orgUnitId, to };
    await recordAudit(ctx, "mailbox.moved", details);
  });
}
