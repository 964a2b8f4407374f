import { createHash } from "node:crypto";

import { DrizzlePostgreSQLAdapter } from "@lucia-auth/adapter-drizzle";
import { and, desc, eq, gt, isNull, ne, sql } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";
import { Lucia, TimeSpan } from "lucia";

import { companies, mailboxes, mailboxSessions } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";

declare module "lucia" {
  interface Register {
    DatabaseSessionAttributes: { clientAddress?: string; userAgent?: string | null };
  }
}

/** The person signed in at `/account` on a request. */
export type AccountUser = {
  /** Of the mailbox. */
  address: string;
  name: string;
  companyId: string;
  companyName: string;
  domainId: string;
  /** Nothing but a change of the password is open. */
  forcePasswordChange: boolean;
  sessionId: string;
};

/** A session as its person sees it. */
export type ListedSession = {
  /** Names it, and does not open it. */
  id: string;
  isThisOne: boolean;
  createdAt: string;
  clientAddress: string | null;
  userAgent: string | null;
};

/** Whose sessions, and in which of them one is oneself; null for somebody else. */
export type SessionsOf = { address: string; sessionId: string | null };

/** User agents are kept to this many characters. */
const USER_AGENT_MAX = 300;

/** Mailboxes under the names that lucia knows. */
const users = pgTable("mailboxes", { id: text("address").primaryKey() });

// The second and last file that knows lucia: beside sessions.ts.
const lucia = (db: Db) =>
  new Lucia(new DrizzlePostgreSQLAdapter(db, mailboxSessions, users), {
    sessionExpiresIn: new TimeSpan(14, "d"),
    sessionCookie: {
      name: "posthouse_account",
      attributes: {
        path: "/account",
        sameSite: "lax",
        secure: config().baseUrl.startsWith("https:"),
      },
    },
  });

/** Starts a session, always under a new id, and returns the Set-Cookie value that carries it. */
export async function startAccountSession(
  db: Db,
  mailbox: string,
  from: { clientAddress: string; userAgent: string | null },
): Promise<string> {
  const auth = lucia(db);
  const userAgent = from.userAgent?.slice(0, USER_AGENT_MAX) ?? null;
  const session = await auth.createSession(mailbox, {
    clientAddress: from.clientAddress,
    userAgent,
  });
  return auth.createSessionCookie(session.id).serialize();
}

/** Ends a session and returns the Set-Cookie value that forgets it. */
export async function endAccountSession(db: Db, sessionId: string): Promise<string> {
  const auth = lucia(db);
  await auth.invalidateSession(sessionId);
  return auth.createBlankSessionCookie().serialize();
}

/**
 * The person whose session the Cookie header carries, or null when there is none that still holds: a
 * mailbox or company that is suspended opens nothing.
 */
export async function findAccountUser(db: Db, cookieHeader: string): Promise<AccountUser | null> {
  const auth = lucia(db);
  const sessionId = auth.readSessionCookie(cookieHeader);
  const { session } = sessionId ? await auth.validateSession(sessionId) : { session: null };
  if (!session) return null;
  const [found] = await db
    .select({
      address: mailboxes.address,
      name: mailboxes.name,
      companyId: mailboxes.companyId,
      companyName: companies.name,
      domainId: mailboxes.domainId,
      forcePasswordChange: mailboxes.forcePasswordChange,
    })
    .from(mailboxes)
    .innerJoin(companies, eq(companies.id, mailboxes.companyId))
    .where(
      and(
        eq(mailboxes.address, session.userId),
        isNull(mailboxes.suspendedAt),
        isNull(companies.suspendedAt),
      ),
    );
  return found ? { ...found, sessionId: session.id } : null;
}

/** The sessions of a person that still hold, newest first. */
export async function listAccountSessions(db: Db, user: SessionsOf): Promise<ListedSession[]> {
  const rows = await db
    .select()
    .from(mailboxSessions)
    .where(
      and(
        eq(mailboxSessions.userId, user.address),
        gt(mailboxSessions.expiresAt, sql`clock_timestamp()`),
      ),
    )
    .orderBy(desc(mailboxSessions.createdAt));
  return rows.map(({ id, createdAt, clientAddress, userAgent }) => ({
    ...{ id: nameOf(id), isThisOne: id === user.sessionId, createdAt, clientAddress, userAgent },
  }));
}

/** What stands in its cookie opens a session, so a list names it by this. */
const nameOf = (sessionId: string) =>
  createHash("sha256").update(sessionId).digest("hex").slice(0, 32);

/** Ends the session that a list names so; false when the person has none of that name. */
export async function endListedSession(
  db: Db,
  user: Pick<SessionsOf, "address">,
  name: string,
): Promise<boolean> {
  const ended = await db
    .delete(mailboxSessions)
    .where(
      and(
        eq(mailboxSessions.userId, user.address),
        sql`left(encode(sha256(convert_to(${mailboxSessions.id}, 'UTF8')), 'hex'), 32) = ${name}`,
      ),
    )
    .returning({ id: mailboxSessions.id });
  return ended.length > 0;
}

/** Ends all sessions of a person but this one; how many there were. */
export async function endOtherAccountSessions(db: Db, user: AccountUser): Promise<number> {
  const ended = await db
    .delete(mailboxSessions)
    .where(and(eq(mailboxSessions.userId, user.address), ne(mailboxSessions.id, user.sessionId)))
    .returning({ id: mailboxSessions.id });
  return ended.length;
}
