import { and, eq, lt, or, sql } from "drizzle-orm";

import { appPasswords, mailboxes, signInAttempts } from "#drizzle/schema/index.ts";
import { normalizePassword } from "#server/core/access/admins/password.ts";
import { rememberNetwork } from "#server/core/access/sign-in/networks.ts";
import { passwordMark } from "#server/core/access/sign-in/password-mark.ts";
import { sourceNetwork } from "#server/core/access/sign-in/source-network.ts";
import { countAttempt } from "#server/core/access/sign-in/throttle.ts";
import { verifyPassword } from "#server/core/access/sign-in/verify-password.ts";
import { recordAppPasswordUse } from "#server/core/mailboxes/app-passwords/record-use.ts";
import { hashAppPassword } from "#server/core/mailboxes/app-passwords/secret.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

/** A sign-in attempt that Dovecot reports. */
export type DovecotAttempt = {
  /** From `findAccount`. */
  account: string;
  password: string;
  clientAddress: string;
  /** Identifies the session, in Dovecot's password query too. */
  checkKey: string;
};

/**
 * Counts an attempt before Dovecot checks the password: its password query finds only attempts that were counted. An app
 * password, and a password that isn't typed in the form that is hashed, are checked here, since Dovecot can't normalize them.
 *
 * @returns the error message for the user, or null
 */
export async function countDovecotAttempt(
  db: Db,
  { account, password, clientAddress, checkKey }: DovecotAttempt,
): Promise<string | null> {
  try {
    const credential = await findAppPassword(db, account, password);
    const attempt = { account, clientAddress, passwordMark: passwordMark(account, password) };
    const id = await countAttempt(db, { ...attempt, dovecot: { checkKey, credential } });
    if (!credential && password !== normalizePassword(password))
      await checkPassword(db, id, { account, password });
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

async function findAppPassword(db: Db, account: string, password: string): Promise<string | null> {
  const [found] = await db
    .select({ id: appPasswords.id })
    .from(appPasswords)
    .where(
      and(
        eq(appPasswords.mailbox, account),
        eq(appPasswords.secretHash, hashAppPassword(password)),
      ),
    );
  return found ? `app:${found.id}` : null;
}

async function checkPassword(
  db: Db,
  id: bigint,
  { account, password }: { account: string; password: string },
): Promise<void> {
  const [mailbox] = await db
    .select({ passwordHash: mailboxes.passwordHash })
    .from(mailboxes)
    .where(eq(mailboxes.address, account));
  if (await verifyPassword(password, mailbox?.passwordHash ?? null))
    await db.update(signInAttempts).set({ credential: "main" }).where(eq(signInAttempts.id, id));
}

/**
 * After a correct password: deletes the counted attempts with it and remembers the network.
 *
 * @param credential `main`, or `app:` and the id of the app password
 * @param service `imap`, `pop3` or `sieve`
 */
export async function recordDovecotSignIn(
  db: Db,
  { account, password, clientAddress, checkKey }: DovecotAttempt,
  { credential, service }: { credential: string; service: string },
): Promise<void> {
  await db.delete(signInAttempts).where(
    and(
      eq(signInAttempts.email, account),
      eq(signInAttempts.source, sourceNetwork(clientAddress)),
      eq(signInAttempts.passwordMark, passwordMark(account, password)),
      or(
        eq(signInAttempts.checkKey, checkKey),
        // Dovecot may not have looked up later ones yet.
        lt(signInAttempts.createdAt, sql`clock_timestamp() - interval '1 minute'`),
      ),
    ),
  );
  await rememberNetwork(db, account, clientAddress);
  const id = credential.startsWith("app:") ? credential.slice("app:".length) : "";
  if (isUuid(id)) await recordAppPasswordUse(db, id, { usedFor: service, from: clientAddress });
}
