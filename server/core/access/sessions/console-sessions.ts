import { and, desc, eq, gt, inArray, ne, sql } from "drizzle-orm";

import { admins, companies, people, sessions } from "#drizzle/schema/index.ts";
import { listCompaniesOfPerson } from "#server/core/access/companies/companies.ts";
import { findIdentityProvider } from "#server/core/access/single-sign-on/providers.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import {
  endSession,
  hasListedId,
  isInUse,
  listedSessionId,
  type SessionOrigin,
  type SignedIn,
  startSession,
} from "./sessions.ts";

export type ConsoleSession = Awaited<ReturnType<typeof listConsoleSessions>>[number];

/** All sessions of a person, in any company or in one, or all of a company. */
export type SessionScope = { email: string; companyId?: string } | { companyId: string };

/** The sessions that an admin may see and end as their own. After single sign-on, only those in its company. */
export const ownSessions = ({
  email,
  companyId,
  providerId,
}: Pick<SignedIn, "email" | "companyId" | "providerId">): { email: string; companyId?: string } =>
  providerId === null ? { email } : { email, companyId };

const inScope = (whose: SessionScope) =>
  and(
    "email" in whose ? eq(admins.email, whose.email) : undefined,
    whose.companyId === undefined ? undefined : eq(admins.companyId, whose.companyId),
  );

const isValid = and(
  gt(sessions.expiresAt, sql`clock_timestamp()`),
  gt(
    sql`${sessions.createdAt} + make_interval(hours => ${companies.sessionHoursMax})`,
    sql`clock_timestamp()`,
  ),
);

/** Enough for a company with hundreds of admins. */
const SHOWN_MAX = 1_000;

/** Lists valid sessions, newest first. */
export async function listConsoleSessions(db: Db, whose: SessionScope, currentId: string) {
  const rows = await db
    .select({
      id: sessions.id,
      email: admins.email,
      isOwner: admins.isOwner,
      companyName: companies.name,
      createdAt: sessions.createdAt,
      lastUsedAt: sessions.lastUsedAt,
      clientAddress: sessions.clientAddress,
      userAgent: sessions.userAgent,
    })
    .from(sessions)
    .innerJoin(admins, eq(admins.id, sessions.userId))
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(and(inScope(whose), isValid, await isInUse(db)))
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(SHOWN_MAX);
  return rows.map(({ id, ...row }) => ({
    /** A hash: identifies the session without being able to open it. */
    id: listedSessionId(id),
    isThisOne: id === currentId,
    ...row,
  }));
}

/** Finds a session by its listed id. */
async function findListedSession(
  db: Db,
  whose: SessionScope,
  name: string,
): Promise<{ id: string; email: string; isOwner: boolean } | null> {
  const [found] = await db
    .select({ id: sessions.id, email: admins.email, isOwner: admins.isOwner })
    .from(sessions)
    .innerJoin(admins, eq(admins.id, sessions.userId))
    .where(and(inScope(whose), hasListedId(sessions.id, name)));
  return found ?? null;
}

/**
 * Ends all sessions of a person and returns their number.
 *
 * @param companyId only in this company
 */
export async function endSessionsOfPerson(
  db: Db,
  email: string,
  { keptId = "", companyId }: { keptId?: string; companyId?: string } = {},
): Promise<number> {
  const own = db
    .select({ id: admins.id })
    .from(admins)
    .where(inScope({ email, ...(companyId !== undefined && { companyId }) }));
  const ended = await db
    .delete(sessions)
    .where(and(inArray(sessions.userId, own), ne(sessions.id, keptId)))
    .returning({ id: sessions.id });
  return ended.length;
}

/**
 * Replaces the session with one that has a new id and the same start time; returns its Set-Cookie value.
 *
 * @throws Refusal `not_signed_in` if it has ended meanwhile
 */
export async function renewSession(
  db: Db,
  { id, sessionId }: Pick<SignedIn, "id" | "sessionId">,
  origin: SessionOrigin,
): Promise<string> {
  const [before] = await db
    .delete(sessions)
    .where(eq(sessions.id, sessionId))
    .returning({ createdAt: sessions.createdAt, providerId: sessions.providerId });
  if (!before) throw new Refusal("not_signed_in", "You're not signed in");
  return startSession(db, id, { ...origin, ...before });
}

/**
 * Ends one of the person's own sessions, in any company.
 *
 * @param name the session's listed id
 * @throws Refusal `not_found`
 */
export async function endOwnSession(
  ctx: Context,
  signedIn: Pick<SignedIn, "email" | "companyId" | "providerId">,
  name: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const found = await findListedSession(ctx.db, ownSessions(signedIn), name);
    if (!found) throw new Refusal("not_found", "Session not found");
    await endSession(ctx.db, found.id);
    await recordAudit(ctx, "session.ended", { email: found.email, sessions: 1 });
  });
}

/** Ends all of the person's sessions except the current one and returns their number. */
export async function endOwnOtherSessions(
  ctx: Context,
  signedIn: Pick<SignedIn, "email" | "companyId" | "providerId" | "sessionId">,
): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const { email, ...scope } = ownSessions(signedIn);
    const ended = await endSessionsOfPerson(ctx.db, email, {
      ...scope,
      keptId: signedIn.sessionId,
    });
    if (ended > 0) await recordAudit(ctx, "session.ended", { email, sessions: ended });
    return ended;
  });
}

/**
 * Ends a session of another admin of the company.
 *
 * @throws Refusal `not_found`; `invalid_permission` for an owner's session, which only owners can end
 */
export async function endSessionInCompany(
  ctx: Context,
  { isOwner }: Pick<SignedIn, "isOwner">,
  name: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const found = await findListedSession(ctx.db, { companyId: ctx.companyId }, name);
    if (!found) throw new Refusal("not_found", "Session not found");
    if (found.isOwner && !isOwner)
      throw new Refusal("invalid_permission", "Only an owner can end an owner's session");
    await endSession(ctx.db, found.id);
    await recordAudit(ctx, "session.ended", { email: found.email, sessions: 1 });
  });
}

/**
 * Replaces the session with one at another of the person's companies. The start time carries over, so that
 * switching doesn't extend the session.
 *
 * @returns the Set-Cookie value
 * @throws Refusal `not_found` if they aren't an admin there, their access is suspended, or the company is; `not_allowed` if
 *   an identity provider started the session, or the other company requires its own
 */
export function switchCompany(
  db: Db,
  { email, sessionId, providerId }: Pick<SignedIn, "email" | "sessionId" | "providerId">,
  toCompanyId: string,
  origin: SessionOrigin,
): Promise<string> {
  return db.transaction(async (tx) => {
    rejectProviderSession({ providerId });
    const open = await listCompaniesOfPerson(tx, { email, companyId: toCompanyId, providerId });
    const wanted = open.find(({ id }) => id === toCompanyId);
    if (!wanted) throw new Refusal("not_found", "Company not found");
    const provider = await findIdentityProvider({ db: tx, companyId: toCompanyId });
    if (provider?.requiredForAdmins)
      throw new Refusal(
        "not_allowed",
        `${wanted.name} requires single sign-on. Sign out, then sign in with its identity provider`,
      );
    // Locked, so that of two concurrent switches the second finds the session ended.
    const [session] = await tx
      .select({ createdAt: sessions.createdAt })
      .from(sessions)
      .where(eq(sessions.id, sessionId))
      .for("update");
    if (!session) throw new Refusal("not_signed_in", "You're not signed in");
    await endSession(tx, sessionId);
    await tx.update(people).set({ lastCompanyId: toCompanyId }).where(eq(people.email, email));
    return startSession(tx, wanted.adminId, { ...origin, createdAt: session.createdAt });
  });
}

/**
 * Rejects a session that an identity provider started, because the provider speaks only for its own company.
 *
 * @throws Refusal `not_allowed`
 */
export function rejectProviderSession({ providerId }: Pick<SignedIn, "providerId">): void {
  if (providerId !== null)
    throw new Refusal(
      "not_allowed",
      "Single sign-on opens only this company. Sign out, then sign in with your password",
    );
}
