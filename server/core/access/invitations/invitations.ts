import { createHash, randomBytes } from "node:crypto";

import { and, asc, eq, gt, inArray, lte, or, sql } from "drizzle-orm";
import { v7 } from "uuid";
import { z } from "zod";

import { admins, auditEntries, companies, invitations } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { findRoles, requireGrantableRoles } from "#server/core/access/admins/admins.ts";
import { lockTeam } from "#server/core/access/roles/roles.ts";
import { requireTeamManager } from "#server/core/access/admins/team.ts";
import { readAdminName } from "#server/core/access/people/people.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

const OPEN_MAX = 100;
const INVITATION_DAYS = 7;

/** When an invitation sent now expires. */
export const invitationExpiry = () =>
  sql<string>`clock_timestamp() + make_interval(days => ${INVITATION_DAYS})`;

/**
 * Invites a person to become an admin of the company and mails them a link. Neither the response nor its
 * timing shows whether the address signs in at another company.
 *
 * @returns the token of a second link, for the inviter to share; it isn't stored and differs from the emailed
 *   one
 * @throws Refusal `invalid`; `already_exists` if the address is on the team or already invited;
 *   `invalid_permission` if the caller can't manage admins, or invites an owner without being one;
 *   `not_allowed` for a role with a privilege that the caller lacks, or the 101st open invitation;
 *   `rate_limit_exceeded`
 */
export async function invite(
  ctx: Context,
  input: InvitationInput,
): Promise<{ id: string; token: string }> {
  const { email, name } = readFields({
    email: () => readSignInAddress(input.email),
    name: () => readAdminName(input.name),
  });
  const { isOwner } = input;
  return inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const roles = await requireGrantable(ctx, input);
    await requireNotInvited(ctx, email);
    await requireInvitationRate(ctx);
    const { mailed, copied, stored } = newInvitationTokens();
    const [made] = await ctx.db
      .insert(invitations)
      .values({
        companyId: ctx.companyId,
        email,
        name,
        isOwner,
        roleIds: roles.map(({ id }) => id),
        ...stored,
        ...getInviter(ctx),
        expiresAt: invitationExpiry(),
      })
      .returning({ id: invitations.id });
    const { id } = made!;
    await recordAudit(ctx, "invitation.created", {
      invitationId: id,
      email,
      isOwner,
      roles: roles.map((role) => role.name),
    });
    await enqueueInvitation(ctx, { invitationId: id, token: mailed });
    return { id, token: copied };
  });
}

type Grant = Pick<InvitationInput, "isOwner" | "roleIds">;

/**
 * Returns the roles to grant, once it is clear that the caller may grant them. None for an owner, who has every privilege:
 * they would take effect unnoticed after a demotion.
 */
async function requireGrantable(ctx: Context, { isOwner, roleIds }: Grant) {
  const manager = await requireTeamManager(ctx);
  if (isOwner && !manager.isOwner)
    throw new Refusal("invalid_permission", "Only an owner can make an admin an owner");
  return isOwner ? [] : requireGrantableRoles(ctx, manager, roleIds);
}

/** The inviter, whose privileges are checked again on acceptance. */
function getInviter({ actor }: Context): {
  invitedBy: string;
  inviterKind: "admin" | "operator";
} {
  if (actor.kind === "admin" || actor.kind === "operator")
    return { invitedBy: actor.email, inviterKind: actor.kind };
  throw new Refusal("invalid_permission", "Only an admin or operator can invite admins");
}

async function requireNotInvited(ctx: Context, email: string): Promise<void> {
  const { companyId } = ctx;
  const isMember = and(eq(admins.companyId, companyId), eq(admins.email, email));
  if ((await ctx.db.$count(admins, isMember)) > 0)
    throw new Refusal("already_exists", "email: is already on the team");
  const ofAddress = and(eq(invitations.companyId, companyId), eq(invitations.email, email));
  const isOver = lte(invitations.expiresAt, sql`clock_timestamp()`);
  await ctx.db.delete(invitations).where(and(ofAddress, isOver));
  if ((await ctx.db.$count(invitations, ofAddress)) > 0)
    throw new Refusal(
      "already_exists",
      "email: is already invited. Resend that invitation or withdraw it",
    );
  const open = and(
    eq(invitations.companyId, companyId),
    gt(invitations.expiresAt, sql`clock_timestamp()`),
  );
  if ((await ctx.db.$count(invitations, open)) >= OPEN_MAX)
    throw new Refusal(
      "not_allowed",
      `A company can have at most ${OPEN_MAX} pending invitations. Withdraw one first`,
    );
}

/**
 * Sends an invitation again with new links that are valid for seven days; the old links stop working. The
 * caller becomes the inviter, and deleted roles are dropped.
 *
 * @returns the token of the new link for passing on by hand
 * @throws Refusal `not_found`, `invalid_permission`, `not_allowed`, `rate_limit_exceeded`
 */
export function resendInvitation(ctx: Context, id: string): Promise<{ token: string }> {
  return inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const found = await lockInvitation(ctx, id);
    const roleIds = (await findRoles(ctx, found.roleIds)).map((role) => role.id);
    await requireGrantable(ctx, { isOwner: found.isOwner, roleIds });
    await requireInvitationRate(ctx);
    const { mailed, copied, stored } = newInvitationTokens();
    await ctx.db
      .update(invitations)
      .set({
        roleIds,
        ...stored,
        expiresAt: invitationExpiry(),
        ...getInviter(ctx),
      })
      .where(eq(invitations.id, id));
    await recordAudit(ctx, "invitation.resent", { invitationId: id, email: found.email });
    await enqueueInvitation(ctx, { invitationId: id, token: mailed });
    return { token: copied };
  });
}

/**
 * Changes what a pending invitation grants. The caller becomes the inviter. The emailed link keeps working; a link that
 * another inviter has copied doesn't, because they could use it to take more access than they may grant.
 *
 * @throws Refusal `not_found`, `invalid`, `invalid_permission`, `not_allowed`
 */
export async function updateInvitation(ctx: Context, id: string, grant: Grant): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const found = await lockInvitation(ctx, id);
    if (found.isOwner) await requireGrantable(ctx, found);
    const roles = await requireGrantable(ctx, grant);
    const inviter = getInviter(ctx);
    await ctx.db
      .update(invitations)
      .set({
        isOwner: grant.isOwner,
        roleIds: roles.map((role) => role.id),
        ...(inviter.invitedBy !== found.invitedBy && {
          copiedTokenHash: hashInvitationToken(newToken()),
        }),
        ...inviter,
      })
      .where(eq(invitations.id, id));
    await recordAudit(ctx, "invitation.updated", {
      invitationId: id,
      email: found.email,
      isOwner: grant.isOwner,
      roles: roles.map((role) => role.name),
    });
  });
}

/**
 * Locks an invitation until the transaction ends.
 *
 * @throws Refusal `not_found`
 */
async function lockInvitation(ctx: Context, id: string) {
  const [found] = await ctx.db
    .select()
    .from(invitations)
    .where(and(eq(invitations.id, id), eq(invitations.companyId, ctx.companyId)))
    .for("update");
  if (!found)
    throw new Refusal("not_found", "Invitation not found. It may have been accepted or withdrawn");
  return found;
}

/**
 * Deletes an invitation, which invalidates its links.
 *
 * @throws Refusal `not_found`
 */
export async function withdrawInvitation(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    await requireTeamManager(ctx);
    const { email } = await lockInvitation(ctx, id);
    await ctx.db.delete(invitations).where(eq(invitations.id, id));
    await recordAudit(ctx, "invitation.withdrawn", { invitationId: id, email });
  });
}

/** Lists the company's invitations by address, at most 100. */
export const listInvitations = (ctx: Context) =>
  ctx.db
    .select({
      id: invitations.id,
      email: invitations.email,
      name: invitations.name,
      isOwner: invitations.isOwner,
      /** The roles that still exist. */
      roles: sql<{ id: string; name: string }[]>`array(
        select json_build_object('id', r.id, 'name', r.name) from roles r
        where r.company_id = ${invitations.companyId} and r.id = any(${invitations.roleIds})
        order by lower(r.name))`,
      invitedBy: invitations.invitedBy,
      createdAt: invitations.createdAt,
      expiresAt: invitations.expiresAt,
      isExpired: sql<boolean>`${invitations.expiresAt} <= clock_timestamp()`,
    })
    .from(invitations)
    .where(eq(invitations.companyId, ctx.companyId))
    .orderBy(asc(invitations.email));

/** An invitation as shown to the holder of the link. */
export type FoundInvitation = NonNullable<Awaited<ReturnType<typeof findInvitation>>>;

/** Finds an invitation by its link's token; null if it was accepted, withdrawn or resent. */
export async function findInvitation(db: Db, token: string) {
  const tokenHash = hashInvitationToken(token);
  const [found] = await db
    .select({
      id: invitations.id,
      companyId: invitations.companyId,
      companyName: companies.name,
      email: invitations.email,
      name: invitations.name,
      isOwner: invitations.isOwner,
      roleIds: invitations.roleIds,
      /** Names of the roles that still exist. */
      roles: sql<string[]>`array(select r.name from roles r
        where r.company_id = ${invitations.companyId} and r.id = any(${invitations.roleIds})
        order by lower(r.name))`,
      invitedBy: invitations.invitedBy,
      inviterKind: invitations.inviterKind,
      /** The inviter's name as an admin of the company; empty if they are none. */
      inviterName: sql<string>`coalesce((select a.name from ${admins} a
        where a.company_id = ${invitations.companyId} and a.email = ${invitations.invitedBy}), '')`,
      expiresAt: invitations.expiresAt,
      isExpired: sql<boolean>`${invitations.expiresAt} <= clock_timestamp()`,
      /** Whether the link is the one that was emailed, not the one the inviter copied. */
      isMailed: sql<boolean>`${invitations.tokenHash} = ${tokenHash}`,
    })
    .from(invitations)
    .innerJoin(companies, eq(companies.id, invitations.companyId))
    .where(or(eq(invitations.tokenHash, tokenHash), eq(invitations.copiedTokenHash, tokenHash)));
  return found ?? null;
}

/** Limits how much mail a company can send to addresses that an admin merely typed. */
const PER_HOUR_MAX = 100;

const MAILED = ["invitation.created", "invitation.resent"];

/**
 * Enqueues the email with the link. Call in the transaction that stores the token, so that a link is emailed
 * only if it works.
 */
async function enqueueInvitation(
  { db, companyId }: Context,
  { invitationId, token }: { invitationId: string; token: string },
): Promise<void> {
  const notice = {
    kind: "invitation" as const,
    invitationId,
    sealedToken: seal("invitation", token),
  };
  await enqueue(db, "send_notice", { id: v7(), companyId, notice });
}

/**
 * Enforces the hourly limit on invitation emails. Call under `lockTeam`.
 *
 * @throws Refusal `rate_limit_exceeded`
 */
async function requireInvitationRate({ db, companyId }: Context): Promise<void> {
  const sent = and(
    eq(auditEntries.companyId, companyId),
    gt(auditEntries.createdAt, sql`statement_timestamp() - interval '1 hour'`),
    inArray(auditEntries.action, MAILED),
  );
  if ((await db.$count(auditEntries, sent)) >= PER_HOUR_MAX)
    throw new Refusal(
      "rate_limit_exceeded",
      `A company can send at most ${PER_HOUR_MAX} invitations an hour. Try again later`,
    );
}

const EMAIL_MAX = 254;

export type InvitationInput = {
  email: string;
  name: string;
  isOwner: boolean;
  roleIds: string[];
};

/**
 * Parses the address of a sign-in, in lowercase.
 *
 * @throws Refusal `invalid`
 */
export function readSignInAddress(text: string): string {
  const email = text.trim().toLowerCase();
  if (!z.email().max(EMAIL_MAX).safeParse(email).success)
    throw new Refusal("invalid", "email: must be a valid address such as ann@example.com");
  return email;
}

const newToken = () => randomBytes(32).toString("base64url");

/**
 * Creates the two 256-bit tokens of an invitation. Either one lets the invitee join, but only the emailed one
 * proves that they receive mail at the address: the inviter sees the copied one.
 */
function newInvitationTokens() {
  const [mailed, copied] = [newToken(), newToken()];
  const stored = {
    tokenHash: hashInvitationToken(mailed),
    copiedTokenHash: hashInvitationToken(copied),
  };
  return { mailed, copied, stored };
}

/** Hex SHA-256: all that is stored of a token. */
const hashInvitationToken = (token: string) => createHash("sha256").update(token).digest("hex");

/**
 * The page to accept the invitation. The token is in the fragment, which browsers don't send, so it isn't
 * logged.
 */
export const invitationLink = (token: string) => `${config().baseUrl}/console/invitation#${token}`;
