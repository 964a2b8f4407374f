import { DrizzlePostgreSQLAdapter } from "@lucia-auth/adapter-drizzle";
import { and, eq, gt, isNull, not, or, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { Lucia, TimeSpan } from "lucia";

import { admins, companies, people, sessions } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { type HeldRole, type Rights, rightsOf } from "#server/core/access/rights/rights.ts";
import { rolesOf } from "#server/core/access/rights/roles-of.ts";
import type { Db } from "#server/db/client.ts";

declare module "lucia" {
  interface Register {
    UserId: string;
  }
}

/** The admin signed in on a request, with the rights of this moment. */
export type SignedIn = Rights & {
  id: string;
  email: string;
  name: string;
  isOwner: boolean;
  /** Runs this instance. */
  isOperator: boolean;
  /** The company asks for a second factor and the person has none: only setting one up is open. */
  isSecondFactorDue: boolean;
  companyId: string;
  companyName: string;
  sessionId: string;
};

const isHttps = () => config().baseUrl.startsWith("https:");

/** With https no other host, nor a page on http, can put a cookie of this name into the browser. */
const cookieName = (name: string) => (isHttps() ? `__Host-${name}` : name);

// The only file that knows lucia: it is no longer maintained, and replacing it must stay a one-file change.
const lucia = (db: Db) =>
  new Lucia(new DrizzlePostgreSQLAdapter(db, sessions, admins), {
    sessionExpiresIn: new TimeSpan(14, "d"),
    sessionCookie: {
      name: cookieName("posthouse_session"),
      attributes: { secure: isHttps(), sameSite: "lax", path: "/" },
    },
  });

/** User agents are kept to this many characters. */
const USER_AGENT_MAX = 300;

/** What the list of sessions says of one. */
export type SessionOrigin = {
  clientAddress?: string;
  userAgent?: string | null;
  /** When the person signed in, where that was before now. */
  createdAt?: string;
};

/**
 * Starts a session, always under a new id, and returns the Set-Cookie value that carries it. The person
 * comes back to its company when they sign in again.
 */
export async function startSession(
  db: Db,
  adminId: string,
  { clientAddress, userAgent, createdAt }: SessionOrigin = {},
): Promise<string> {
  const auth = lucia(db);
  const session = await auth.createSession(adminId, {
    ...(clientAddress !== undefined && { clientAddress }),
    ...(createdAt !== undefined && { createdAt }),
    userAgent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
  });
  await db.execute(sql`
    update people p set last_company_id = a.company_id from admins a
    where a.id = ${adminId} and p.email = a.email
      and p.last_company_id is distinct from a.company_id`);
  return auth.createSessionCookie(session.id).serialize();
}

/** Ends a session and returns the Set-Cookie value that forgets it. */
export async function endSession(db: Db, sessionId: string): Promise<string> {
  const auth = lucia(db);
  await auth.invalidateSession(sessionId);
  return auth.createBlankSessionCookie().serialize();
}

/** The admin whose session the Cookie header carries, or null when there is none that still holds. */
export async function findSignedIn(db: Db, cookieHeader: string): Promise<SignedIn | null> {
  const auth = lucia(db);
  const sessionId = auth.readSessionCookie(cookieHeader);
  const { session } = sessionId ? await auth.validateSession(sessionId) : { session: null };
  if (!session) return null;
  const [found] = await db
    .select({
      admin: admins,
      company: companies,
      person: people,
      hasPasskey: sql<boolean>`exists(select from passkeys p where p.email = ${people.email})`,
      roles: sql<HeldRole[]>`${rolesOf(sql`${admins.id}`)}`,
      isUseNoted: sql<boolean>`${sessions.lastUsedAt} is not null and ${isLately(sessions.lastUsedAt)}`,
    })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .innerJoin(people, eq(people.email, admins.email))
    .innerJoin(sessions, eq(sessions.id, session.id))
    .where(
      and(
        eq(admins.id, session.userId),
        isNull(admins.disabledAt),
        isNull(companies.suspendedAt),
        gt(
          sql`${sessions.createdAt} + make_interval(hours => ${companies.sessionHoursMax})`,
          sql`clock_timestamp()`,
        ),
      ),
    );
  if (!found) return null;
  if (!found.isUseNoted) await noteUse(db, session.id);
  const { admin, company, person, hasPasskey, roles } = found;
  const hasSecondFactor = hasPasskey || person.totpSecret !== null;
  return {
    id: admin.id,
    email: admin.email,
    name: admin.name,
    isOwner: admin.isOwner,
    isOperator: person.isOperator,
    isSecondFactorDue: company.secondFactorRequired && !hasSecondFactor,
    companyId: company.id,
    companyName: company.name,
    ...rightsOf({ ...admin, roles }),
    sessionId: session.id,
  };
}

const isLately = (moment: PgColumn) => sql`${moment} > clock_timestamp() - interval '1 minute'`;

/** Of requests at the same time, one writes. */
async function noteUse(db: Db, sessionId: string): Promise<void> {
  await db
    .update(sessions)
    .set({ lastUsedAt: sql`clock_timestamp()` })
    .where(
      and(
        eq(sessions.id, sessionId),
        or(isNull(sessions.lastUsedAt), not(isLately(sessions.lastUsedAt))),
      ),
    );
}
