import { and, desc, eq, gt, inArray, ne, sql } from "drizzle-orm";

import { admins, companies, sessions } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { hasListedId, listedSessionId } from "./internal/listed-session-id.ts";
import { isInUse, type SessionOrigin, type SignedIn, startSession } from "./sessions.ts";

export type ConsoleSession = {
  /** A hash: identifies the session without being able to open it. */
  id: string;
  isThisOne: boolean;
  email: string;
  isOwner: boolean;
  companyName: string;
  createdAt: string;
  lastUsedAt: string | null;
  clientAddress: string | null;
  userAgent: string | null;
};

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
export async function listConsoleSessions(
  db: Db,
  whose: SessionScope,
  currentId: string,
): Promise<ConsoleSession[]> {
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
    id: listedSessionId(id),
    isThisOne: id === currentId,
    ...row,
  }));
}

/** Finds a session by its listed id. */
export async function findListedSession(
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
