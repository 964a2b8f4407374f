import { createHmac, timingSafeEqual } from "node:crypto";

import { and, eq, gt, sql } from "drizzle-orm";

import { mailboxSessions } from "#drizzle/schema/index.ts";
import { derivedSecret } from "#server/core/shared/secrets/instance-key.ts";
import type { Db } from "#server/db/client.ts";

import { type AccountUser, findSessionUser } from "./account-sessions.ts";

const HOURS = 12;
const PREFIX = "webmail-";

/**
 * The password with which webmail opens the mailbox of a session at `/account`; null if the session has ended. It is derived,
 * so that nothing stored can open a mailbox. It works for twelve hours, if the session lasts that long; then a new one is derived.
 */
export async function webmailPassword(db: Db, sessionId: string): Promise<string | null> {
  const { id, webmailUntil } = mailboxSessions;
  const isDue = sql<boolean>`coalesce(${webmailUntil} < clock_timestamp() + interval '1 minute', true)`;
  const read = () =>
    db.select({ until: webmailUntil, isDue }).from(mailboxSessions).where(eq(id, sessionId));
  let [session] = await read();
  if (session?.isDue) {
    // Another request may be doing the same.
    await db
      .update(mailboxSessions)
      .set({ webmailUntil: sql`clock_timestamp() + make_interval(hours => ${HOURS})` })
      .where(and(eq(id, sessionId), isDue));
    [session] = await read();
  }
  return session ? derive(sessionId, session.until!) : null;
}

/** Finds the mailbox user in whose session a password was derived; null if the session no longer opens `/account`. */
export async function findWebmailUser(
  db: Db,
  mailbox: string,
  password: string,
): Promise<AccountUser | null> {
  if (!password.startsWith(PREFIX)) return null;
  const { id, userId, expiresAt, webmailUntil } = mailboxSessions;
  const now = sql`clock_timestamp()`;
  const sessions = await db
    .select({ id, until: webmailUntil })
    .from(mailboxSessions)
    .where(and(eq(userId, mailbox), gt(expiresAt, now), gt(webmailUntil, now)));
  const given = Buffer.from(password);
  const found = sessions.find((session) => {
    const expected = Buffer.from(derive(session.id, session.until!));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  return found ? findSessionUser(db, found.id) : null;
}

function derive(sessionId: string, until: string): string {
  const mac = createHmac("sha256", derivedSecret("webmail"));
  return PREFIX + mac.update(`${sessionId} ${new Date(until).toISOString()}`).digest("base64url");
}
