import { createHash } from "node:crypto";

import { DrizzlePostgreSQLAdapter } from "@lucia-auth/adapter-drizzle";
import { and, desc, eq, gt, isNull, ne, sql } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";
import { Lucia, TimeSpan } from "lucia";

import { companies, mailboxes, mailboxSessions } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

declare module "lucia" {
  interface Register {
    DatabaseSessionAttributes: { clientAddress?: string; userAgent?: string | null };
  }
}

/** The mailbox user signed in at `/account`. */
export type AccountUser = {
  /** The mailbox's address. */
  address: string;
  name: string;
  companyId: string;
  companyName: string;
  domainId: string;
  /** Only the page to change the password is open. */
  forcePasswordChange: boolean;
  sessionId: string;
};

export type ListedSession = {
  /** A hash: identifies the session without being able to open it. */
  id: string;
  isThisOne: boolean;
  createdAt: string;
  clientAddress: string | null;
  userAgent: string | null;
};

/** Whose sessions, and which one is the caller's; null if the caller is someone else. */
export type SessionOwner = { address: string; sessionId: string | null };

const USER_AGENT_MAX = 300;

/** The mailboxes table under the column names that lucia expects. */
const users = pgTable("mailboxes", { id: text("address").primaryKey() });

// This file and sessions.ts are the only ones that use lucia.
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

/** Starts a session with a new id and returns its Set-Cookie value. */
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

/** Ends a session and returns the Set-Cookie value that clears it. */
export async function endAccountSession(db: Db, sessionId: string): Promise<string> {
  const auth = lucia(db);
  await auth.invalidateSession(sessionId);
  return auth.createBlankSessionCookie().serialize();
}

/**
 * Finds the mailbox user by the session in a Cookie header; null without a valid one, or if the mailbox or
 * company is suspended.
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

/** Lists the user's unexpired sessions, newest first. */
export async function listAccountSessions(
  ctx: Context,
  user: SessionOwner,
): Promise<ListedSession[]> {
  const rows = await ctx.db
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
    ...{
      id: listedSessionId(id),
      isThisOne: id === user.sessionId,
      createdAt,
      clientAddress,
      userAgent,
    },
  }));
}

/** The id is the cookie's secret, so lists show a hash of it. */
const listedSessionId = (sessionId: string) =>
  createHash("sha256").update(sessionId).digest("hex").slice(0, 32);

/** Ends the session with this listed id; false if the user has no such session. */
export async function endListedSession(
  ctx: Context,
  user: Pick<SessionOwner, "address">,
  name: string,
): Promise<boolean> {
  const ended = await ctx.db
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

/** Ends all of the user's sessions except the current one and returns their number. */
export async function endOtherAccountSessions(ctx: Context, user: AccountUser): Promise<number> {
  const ended = await ctx.db
    .delete(mailboxSessions)
    .where(and(eq(mailboxSessions.userId, user.address), ne(mailboxSessions.id, user.sessionId)))
    .returning({ id: mailboxSessions.id });
  return ended.length;
}
