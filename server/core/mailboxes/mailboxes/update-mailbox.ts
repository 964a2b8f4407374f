import { eq, sql } from "drizzle-orm";

import { type Mailbox, mailboxes } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import type {
  HeldPrivileges,
  UnitPrivilege,
} from "#server/core/access/privileges/held-privileges.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { readShownMailbox } from "./get-mailbox.ts";
import { readName, readQuotaMb } from "./mailbox-fields.ts";
import { moveMailbox } from "./move-mailbox.ts";
import { resolveQuota } from "./internal/resolve-quota.ts";
import { checkMailServer } from "./require-mail-server.ts";
import { lockMailbox } from "./require-mailbox.ts";
import { requirePrivilegeIn } from "./require-privilege-in.ts";
import type { ShownMailbox } from "./shown-mailbox.ts";

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
  const { shown, isSignedOut } = await inTransaction(ctx, async (ctx) => {
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
