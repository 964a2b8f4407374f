import { DrizzlePostgreSQLAdapter } from "@lucia-auth/adapter-drizzle";
import { and, eq, isNull, sql } from "drizzle-orm";
import { Lucia, TimeSpan } from "lucia";

import { admins, companies, sessions } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { type HeldRole, type Rights, rightsOf } from "#server/core/rights/rights.ts";
import { rolesOf } from "#server/core/rights/roles-of.ts";
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
  companyId: string;
  companyName: string;
  sessionId: string;
};

// The only file that knows lucia: it is no longer maintained, and replacing it must stay a one-file change.
const lucia = (db: Db) =>
  new Lucia(new DrizzlePostgreSQLAdapter(db, sessions, admins), {
    sessionExpiresIn: new TimeSpan(14, "d"),
    sessionCookie: {
      name: "posthouse_session",
      attributes: { secure: config().baseUrl.startsWith("https:"), sameSite: "lax" },
    },
  });

/** Starts a session, always under a new id, and returns the Set-Cookie value that carries it. */
export async function startSession(db: Db, adminId: string): Promise<string> {
  const auth = lucia(db);
  const session = await auth.createSession(adminId, {});
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
      roles: sql<HeldRole[]>`${rolesOf(sql`${admins.id}`)}`,
    })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(
      and(eq(admins.id, session.userId), isNull(admins.disabledAt), isNull(companies.suspendedAt)),
    );
  if (!found) return null;
  const { admin, company, roles } = found;
  return {
    id: admin.id,
    email: admin.email,
    name: admin.name,
    isOwner: admin.isOwner,
    companyId: company.id,
    companyName: company.name,
    ...rightsOf({ ...admin, roles }),
    sessionId: session.id,
  };
}
