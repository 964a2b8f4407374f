import { and, eq } from "drizzle-orm";

import { signInAttempts } from "#drizzle/schema/index.ts";
import { recordAppPasswordUse } from "#server/core/mailboxes/app-passwords/record-use.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { rememberNetwork } from "#server/core/access/sign-in/networks.ts";
import { sourceNetwork } from "#server/core/access/sign-in/source-network.ts";
import { normalizeAccount, countAttempt } from "#server/core/access/sign-in/throttle.ts";

/** A sign-in attempt that Dovecot reports. */
export type DovecotAttempt = {
  /** As typed. */
  login: string;
  /** A few bits of a keyed hash of the password. */
  passwordMark: string;
  clientAddress: string;
};

/** Keeps Dovecot's marks apart from our own. */
const dovecotMark = ({ passwordMark }: DovecotAttempt) => `dovecot ${passwordMark.slice(0, 16)}`;

/**
 * Counts an attempt before Dovecot checks the password.
 *
 * @returns the error message for the user, or null
 */
export async function countDovecotAttempt(db: Db, attempt: DovecotAttempt): Promise<string | null> {
  try {
    await countAttempt(db, {
      account: attempt.login,
      clientAddress: attempt.clientAddress,
      passwordMark: dovecotMark(attempt),
    });
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/**
 * After a correct password: deletes the counted attempts with it and remembers the network.
 *
 * @param credential `main`, or `app:` and the id of the app password
 * @param service `imap`, `pop3` or `sieve`
 */
export async function recordDovecotSignIn(
  db: Db,
  attempt: DovecotAttempt,
  { credential, service }: { credential: string; service: string },
): Promise<void> {
  const account = normalizeAccount(attempt.login);
  await db
    .delete(signInAttempts)
    .where(
      and(
        eq(signInAttempts.email, account),
        eq(signInAttempts.source, sourceNetwork(attempt.clientAddress)),
        eq(signInAttempts.passwordMark, dovecotMark(attempt)),
      ),
    );
  await rememberNetwork(db, account, attempt.clientAddress);
  const id = credential.startsWith("app:") ? credential.slice("app:".length) : "";
  if (isUuid(id))
    await recordAppPasswordUse(db, id, { usedFor: service, from: attempt.clientAddress });
}
