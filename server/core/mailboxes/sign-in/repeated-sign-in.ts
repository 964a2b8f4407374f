import { createHmac, randomBytes } from "node:crypto";

import { hashAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import type { Db } from "#server/db/client.ts";

import {
  authenticateMailbox,
  type Credential,
  findAccount,
  findMailbox,
  type KnownMailbox,
  type MailboxAttempt,
  requireSignInAllowed,
} from "./mailbox-sign-in.ts";

const VERIFIED_MS = 300_000;
const VERIFIED_MAX = 20_000;

const key = randomBytes(32);

/** When passwords were last verified, by `markOf`, oldest first. */
const verified = new Map<string, number>();

/** Includes the hash that the password matched, so that it no longer counts as verified after a change or a revocation. */
const markOf = (storedHash: string, password: string) =>
  createHmac("sha256", key).update(`${storedHash}\0${password}`).digest("base64");

/**
 * Authenticates a mailbox user over a protocol that sends the password with each request. A correct password isn't verified
 * or counted again for five minutes. Everything else is checked each time, so that changed and revoked passwords, suspensions
 * and policies apply at once.
 *
 * @throws SignInError
 */
export async function authenticateRepeatedly(
  db: Db,
  attempt: MailboxAttempt,
): Promise<KnownMailbox> {
  const { password, service } = attempt;
  const account = await findAccount(db, attempt.username);
  const mailbox = await findMailbox(db, account);
  const known = mailbox && findVerified(mailbox, password);
  if (mailbox && known) {
    requireSignInAllowed(mailbox, known, service);
    return mailbox;
  }
  const { credential } = await authenticateMailbox(db, attempt);
  // Null only if the mailbox was created just now.
  const found = mailbox ?? (await findMailbox(db, account))!;
  remember(
    markOf(credential === "password" ? found.passwordHash : hashAppPassword(password), password),
  );
  return found;
}

function findVerified(
  { passwordHash, appPasswords }: KnownMailbox,
  password: string,
): Credential | null {
  if (isVerified(markOf(passwordHash, password))) return { kind: "password" };
  const hash = hashAppPassword(password);
  const known = appPasswords.find(({ secretHash }) => secretHash === hash);
  if (!known || !isVerified(markOf(hash, password))) return null;
  return { kind: "app_password", id: known.id, scope: known.scope };
}

const isVerified = (mark: string) =>
  performance.now() - (verified.get(mark) ?? -Infinity) < VERIFIED_MS;

function remember(mark: string): void {
  verified.delete(mark);
  verified.set(mark, performance.now());
  for (const [oldest] of verified) {
    if (verified.size <= VERIFIED_MAX && isVerified(oldest)) break;
    verified.delete(oldest);
  }
}
