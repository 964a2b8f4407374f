import { and, desc, eq, gt, isNotNull, isNull, lte, ne, not, or, sql } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";

import {
  companies,
  identityProviders,
  type Mailbox,
  mailboxes,
  mailboxIdentities,
  mailboxSessions,
} from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";
import { enqueueAll } from "#server/jobs/enqueue.ts";
import { isLanguage, type Language } from "#server/universal/texts/languages.ts";

import { SessionStore } from "./internal/session-store.ts";
import { hasListedId, listedSessionId, sessionCookie } from "./sessions.ts";

/** The mailbox user signed in at `/account`. */
export type AccountUser = Pick<Mailbox, "address" | "name" | "companyId" | "domainId" | "store"> & {
  companyName: string;
  /** Null if they chose none. */
  language: Language | null;
  /** Only the page to change the password is open. Never after single sign-on, which needs no password. */
  forcePasswordChange: boolean;
  /** The company requires single sign-on, so the mailbox password doesn't work anywhere. */
  isProviderRequired: boolean;
  sessionId: string;
  /** The identity provider that the session started with. */
  providerId: string | null;
};

export type ListedSession = {
  /** A hash: identifies the session without being able to open it. */
  id: string;
  isThisOne: boolean;
  createdAt: string;
  clientAddress: string | null;
  userAgent: string | null;
  /** Whether webmail was opened in it. */
  usesWebmail: boolean;
};

/** Whose sessions, and which one is the caller's; null if the caller is someone else. */
export type SessionOwner = { address: string; sessionId: string | null };

/** The mailboxes table with the column name that the session store expects. */
const users = pgTable("mailboxes", { id: text("address").primaryKey() });

const accountSessions = (db: Db) =>
  new SessionStore(db, { sessions: mailboxSessions, users }, sessionCookie("posthouse_account"));

/** Starts a session with a new id and returns its Set-Cookie value. */
export const startAccountSession = (
  db: Db,
  mailbox: string,
  from: { clientAddress: string; userAgent: string | null; providerId?: string | null },
): Promise<string> => accountSessions(db).start(mailbox, from);

/** Ends a session and returns the Set-Cookie value that clears it. */
export const endAccountSession = (db: Db, sessionId: string): Promise<string> =>
  accountSessions(db).end(sessionId);

/**
 * Finds the mailbox user by the session in a Cookie header; null without a valid one, if the mailbox or company is
 * suspended, if the company no longer allows what the session started with, or if, since the provider started it, the mailbox
 * was unlinked or its user became an operator or another company's admin.
 */
export async function findAccountUser(db: Db, cookieHeader: string): Promise<AccountUser | null> {
  const session = await accountSessions(db).find(cookieHeader);
  return session && findSessionUser(db, session.id);
}

/**
 * Whether the mailbox's address or an alias is the sign-in address of an operator or another company's admin, whom the
 * company's provider must not sign in. `isBeyondOwners` follows groups and forwarding too, but costs too much on every request.
 */
const isOutsiders = sql`exists (
  select from people p where (p.email = ${mailboxes.address}
      or p.email in (select address from aliases where mailbox = ${mailboxes.address}))
    and (p.is_operator or p.email_proven_at is not null and exists (
      select from admins a where a.email = p.email and a.company_id <> ${mailboxes.companyId})))`;

/** As `findAccountUser`, by the ID of a session that hasn't expired. */
export async function findSessionUser(db: Db, sessionId: string): Promise<AccountUser | null> {
  const { allowsMailboxes, requiredForMailboxes } = identityProviders;
  const isRequired = sql<boolean>`${requiredForMailboxes} is true`;
  const { providerId } = mailboxSessions;
  const [found] = await db
    .select({
      address: mailboxes.address,
      name: mailboxes.name,
      companyId: mailboxes.companyId,
      companyName: companies.name,
      domainId: mailboxes.domainId,
      store: mailboxes.store,
      language: mailboxes.language,
      forcePasswordChange: sql<boolean>`${mailboxes.forcePasswordChange} and ${providerId} is null`,
      isProviderRequired: isRequired,
      sessionId: mailboxSessions.id,
      providerId,
    })
    .from(mailboxSessions)
    .innerJoin(mailboxes, eq(mailboxes.address, mailboxSessions.userId))
    .innerJoin(companies, eq(companies.id, mailboxes.companyId))
    .leftJoin(identityProviders, eq(identityProviders.companyId, companies.id))
    // The session may have been renewed while the mailbox was being unlinked, and another account linked since.
    .leftJoin(
      mailboxIdentities,
      and(
        eq(mailboxIdentities.mailbox, mailboxes.address),
        eq(mailboxIdentities.providerId, providerId),
        lte(mailboxIdentities.createdAt, mailboxSessions.createdAt),
      ),
    )
    .where(
      and(
        eq(mailboxSessions.id, sessionId),
        isNull(mailboxes.suspendedAt),
        isNull(companies.suspendedAt),
        or(
          and(isNull(providerId), not(isRequired)),
          and(
            eq(providerId, identityProviders.id),
            eq(allowsMailboxes, true),
            isNotNull(mailboxIdentities.mailbox),
            not(isOutsiders),
          ),
        ),
      ),
    );
  return found ? { ...found, language: isLanguage(found.language) ? found.language : null } : null;
}

/**
 * Whether the identity provider started the session in the last ten minutes: some providers can't confirm a session, and
 * their users may have no password.
 */
export async function signedInRecently(
  db: Db,
  { sessionId }: Pick<AccountUser, "sessionId">,
): Promise<boolean> {
  const isRecent = and(
    eq(mailboxSessions.id, sessionId),
    isNotNull(mailboxSessions.providerId),
    gt(mailboxSessions.createdAt, sql`clock_timestamp() - interval '10 minutes'`),
  );
  return (await db.$count(mailboxSessions, isRecent)) > 0;
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
  return rows.map(({ id, createdAt, clientAddress, userAgent, webmailUntil }) => ({
    id: listedSessionId(id),
    isThisOne: id === user.sessionId,
    createdAt,
    clientAddress,
    userAgent,
    usesWebmail: webmailUntil !== null,
  }));
}

/** Ends the session with this listed id; false if the user has no such session. */
export async function endListedSession(
  ctx: Context,
  user: Pick<SessionOwner, "address">,
  name: string,
): Promise<boolean> {
  const ended = await ctx.db
    .delete(mailboxSessions)
    .where(and(eq(mailboxSessions.userId, user.address), hasListedId(mailboxSessions.id, name)))
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

/** By then, a sign-in that was already in progress has finished and can be ended. */
const AFTER_MS = 5_000;

/**
 * Schedules a job that disconnects the mailboxes' mail apps. They sign in again automatically if their password still works.
 * Call in the transaction of the change that ends access.
 */
export async function scheduleMailAppEnd(ctx: Context, ...addresses: string[]): Promise<void> {
  const runAt = new Date(ctx.now().getTime() + AFTER_MS);
  const payloads = addresses.map((address) => ({ address }));
  await enqueueAll(ctx.db, "end_mail_sessions", payloads, { runAt });
}

/** As `scheduleMailAppEnd`, for all mailboxes of the company. */
export async function scheduleCompanyMailAppEnd(ctx: Context): Promise<void> {
  const own = await ctx.db
    .select({ address: mailboxes.address })
    .from(mailboxes)
    .where(eq(mailboxes.companyId, ctx.companyId))
    .orderBy(mailboxes.address);
  await scheduleMailAppEnd(ctx, ...own.map(({ address }) => address));
}
