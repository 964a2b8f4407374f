import { createHash } from "node:crypto";

import { and, eq, gt, isNull, lt, not, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import {
  admins,
  companies,
  type Company,
  identityProviders,
  mailboxSessions,
  people,
  sessions,
  signInSteps,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { adminRolesSql } from "#server/core/access/privileges/grants.ts";
import {
  effectivePrivileges,
  type HeldPrivileges,
  type RoleGrant,
} from "#server/core/access/privileges/privileges.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { type SessionOrigin, SessionStore } from "./internal/session-store.ts";

export type { SessionOrigin };

/** The signed-in admin with their current privileges. */
export type SignedIn = HeldPrivileges & {
  id: string;
  email: string;
  name: string;
  isOwner: boolean;
  isOperator: boolean;
  /** The company, or the operators' setting, requires a second factor and the admin has none: they can only set one up. */
  isSecondFactorDue: boolean;
  companyId: string;
  companyName: string;
  sessionId: string;
  /** The identity provider that the session started with; it opens only this company. */
  providerId: string | null;
};

const isHttps = () => config().baseUrl.startsWith("https:");

/** The `__Host-` prefix keeps other hosts and plain-http pages from setting the cookie. */
export const sessionCookie = (name: string) => {
  const secure = isHttps();
  return { name: secure ? `__Host-${name}` : name, path: "/", secure };
};

const consoleSessions = (db: Db) =>
  new SessionStore(db, { sessions, users: admins }, sessionCookie("posthouse_session"));

/**
 * Starts a session with a new id and returns its Set-Cookie value. The company becomes the one the person
 * opens at their next sign-in.
 */
export async function startSession(
  db: Db,
  adminId: string,
  origin: SessionOrigin = {},
): Promise<string> {
  const lastUsedAt = sql`clock_timestamp()`;
  const cookie = await consoleSessions(db).start(adminId, { ...origin, lastUsedAt });
  await db.execute(sql`
    update people p set last_company_id = a.company_id from admins a
    where a.id = ${adminId} and p.email = a.email
      and p.last_company_id is distinct from a.company_id`);
  return cookie;
}

/** Ends a session and returns the Set-Cookie value that clears it. */
export const endSession = (db: Db, sessionId: string): Promise<string> =>
  consoleSessions(db).end(sessionId);

/**
 * The condition for a session that was used lately. Its use is written once a minute, so that a request costs no write.
 */
export async function isInUse(db: Db): Promise<SQL> {
  const { console_idle_minutes: minutes } = await currentSettings(db);
  const lastUsedAt = sql`coalesce(${sessions.lastUsedAt}, ${sessions.createdAt})`;
  return sql`${lastUsedAt} > clock_timestamp() - make_interval(mins => ${minutes})`;
}

/** Finds the admin by the session in a Cookie header; null without a valid one. */
export async function findSignedIn(db: Db, cookieHeader: string): Promise<SignedIn | null> {
  const session = await consoleSessions(db).find(cookieHeader);
  if (!session) return null;
  const [found] = await db
    .select({
      admin: admins,
      company: companies,
      person: people,
      provider: identityProviders,
      providerId: sessions.providerId,
      hasPasskey: sql<boolean>`exists(select from passkeys p where p.email = ${people.email})`,
      roles: sql<RoleGrant[]>`${adminRolesSql(sql`${admins.id}`)}`,
      isUseNoted: sql<boolean>`${sessions.lastUsedAt} is not null and ${isRecent(sessions.lastUsedAt)}`,
    })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .innerJoin(people, eq(people.email, admins.email))
    .innerJoin(sessions, eq(sessions.id, session.id))
    .leftJoin(identityProviders, eq(identityProviders.companyId, companies.id))
    .where(
      and(
        eq(admins.id, session.userId),
        isNull(admins.disabledAt),
        isNull(companies.suspendedAt),
        or(
          eq(sessions.providerId, identityProviders.id),
          and(isNull(sessions.providerId), isNot(identityProviders.requiredForAdmins)),
        ),
        gt(
          sql`${sessions.createdAt} + make_interval(hours => ${companies.sessionHoursMax})`,
          sql`clock_timestamp()`,
        ),
        await isInUse(db),
      ),
    );
  if (!found) return null;
  if (!found.isUseNoted) await recordUse(db, session.id);
  const { admin, company, person, hasPasskey, roles, provider, providerId } = found;
  const providerIsFactor = providerId !== null && provider?.isSecondFactor === true;
  const hasSecondFactor = hasPasskey || person.totpSecret !== null || providerIsFactor;
  const isOperator = person.isOperator && providerId === null;
  return {
    id: admin.id,
    email: admin.email,
    name: admin.name,
    isOwner: admin.isOwner,
    isOperator,
    isSecondFactorDue: !hasSecondFactor && (await isFactorRequired(db, company, { isOperator })),
    companyId: company.id,
    companyName: company.name,
    ...effectivePrivileges({ ...admin, roles }),
    sessionId: session.id,
    providerId,
  };
}

async function isFactorRequired(
  db: Db,
  { secondFactorRequired }: Pick<Company, "secondFactorRequired">,
  { isOperator }: { isOperator: boolean },
): Promise<boolean> {
  if (secondFactorRequired || !isOperator) return secondFactorRequired;
  return (await currentSettings(db)).operator_second_factor === "required";
}

/** Also true if the left join found no row. */
const isNot = (column: PgColumn) => sql`${column} is not true`;

const isRecent = (moment: PgColumn) => sql`${moment} > clock_timestamp() - interval '1 minute'`;

/** The condition limits concurrent requests to one write. */
async function recordUse(db: Db, sessionId: string): Promise<void> {
  await db
    .update(sessions)
    .set({ lastUsedAt: sql`clock_timestamp()` })
    .where(
      and(
        eq(sessions.id, sessionId),
        or(isNull(sessions.lastUsedAt), not(isRecent(sessions.lastUsedAt))),
      ),
    );
}

/** Deletes expired sessions, of the console and of `/account`, and expired sign-in steps. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  for (const table of [sessions, mailboxSessions, signInSteps])
    await db.delete(table).where(lt(table.expiresAt, sql`clock_timestamp()`));
}

/** The id is the cookie's secret, so lists show a hash of it. */
export const listedSessionId = (sessionId: string) =>
  createHash("sha256").update(sessionId).digest("hex").slice(0, 32);

/** Whether a session's id has this hash. */
export const hasListedId = (sessionId: PgColumn, listedId: string): SQL =>
  sql`left(encode(sha256(convert_to(${sessionId}, 'UTF8')), 'hex'), 32) = ${listedId}`;
