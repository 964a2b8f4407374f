import { and, eq } from "drizzle-orm";

import { signInAttempts } from "#drizzle/schema/index.ts";
import { noteAppPasswordUse } from "#server/core/mailboxes/app-passwords/note-use.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { rememberNetwork } from "#server/core/access/sign-in/networks.ts";
import { sourceNetwork } from "#server/core/access/sign-in/source-network.ts";
import { normalizeAccount, countAttempt } from "#server/core/access/sign-in/throttle.ts";

/** An attempt to sign in at Dovecot, as Dovecot tells of it. */
export type DovecotAttempt = {
  /** As it was typed. */
  login: string;
  /** A few bits of a keyed hash of the password. */
  passwordMark: string;
  clientAddress: string;
};

/** Puts marks of Dovecot's making apart from ours. */
const markOf = ({ passwordMark }: DovecotAttempt) => `dovecot ${passwordMark.slice(0, 16)}`;

/**
 * Counts an attempt before Dovecot looks at the password.
 *
 * @returns what to tell the person instead, or null
 */
export async function countDovecotAttempt(db: Db, attempt: DovecotAttempt): Promise<string | null> {
  try {
    await countAttempt(db, {
      account: attempt.login,
      clientAddress: attempt.clientAddress,
      passwordMark: markOf(attempt),
    });
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/**
 * The password was right: forgets that it was tried from there, and remembers where it was used.
 *
 * @param credential `main`, or `app:` and the id of the app password
 * @param service `imap`, `pop3` or `sieve`
 */
export async function noteDovecotSignIn(
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
        eq(signInAttempts.passwordMark, markOf(attempt)),
      ),
    );
  await rememberNetwork(db, account, attempt.clientAddress);
  const id = credential.startsWith("app:") ? credential.slice("app:".length) : "";
  if (isUuid(id))
    await noteAppPasswordUse(db, id, { usedFor: service, from: attempt.clientAddress });
}
