import { timingSafeEqual } from "node:crypto";

import type { MailboxPolicy } from "#drizzle/schema/index.ts";
import { recordAppPasswordUse } from "#server/core/mailboxes/app-passwords/record-use.ts";
import { hashAppPassword } from "#server/core/mailboxes/app-passwords/secret.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { findAccount } from "./find-account.ts";
import { findMailbox, type KnownMailbox } from "./internal/find-mailbox.ts";
import { requireSignInAllowed } from "./internal/require-sign-in-allowed.ts";
import { rememberNetwork } from "#server/core/access/sign-in/networks.ts";
import { passwordMark } from "#server/core/access/sign-in/password-mark.ts";
import { SignInError } from "#server/core/access/sign-in/sign-in-error.ts";
import { countAttempt, forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import { verifyPassword } from "#server/core/access/sign-in/verify-password.ts";

export { SignInError } from "#server/core/access/sign-in/sign-in-error.ts";

/** What the user signs in to. Dovecot checks `imap`, `pop3` and `sieve` itself, by the same rules. */
export type MailService = "smtp" | "imap" | "pop3" | "sieve" | "account";

export type SignedInMailbox = {
  address: string;
  companyId: string;
  domainId: string;
  name: string;
  credential: "password" | "app_password";
  /** Only with service `account`: only the page to change the password is open. */
  forcePasswordChange: boolean;
  /** Only with service `account`, where the caller checks it: the password is right, but single sign-on is required. */
  isProviderRequired: boolean;
  policy: MailboxPolicy;
};

export type MailboxAttempt = {
  /** As typed: the address of the mailbox or of an alias. */
  username: string;
  password: string;
  /** An IP address. */
  clientAddress: string;
  service: MailService;
};

/**
 * Authenticates a mailbox user with the password or an app password, and remembers the network, except at `/account`,
 * where a second factor may follow. Unknown addresses and wrong passwords cost the same, get the same error and count
 * toward the sign-in limits.
 *
 * @throws SignInError
 */
export async function authenticateMailbox(
  db: Db,
  attempt: MailboxAttempt,
): Promise<SignedInMailbox> {
  const account = await findAccount(db, attempt.username);
  const counted = await toSignInError(
    countAttempt(db, {
      account,
      clientAddress: attempt.clientAddress,
      passwordMark: passwordMark(account, attempt.password),
    }),
  );
  const mailbox = await findMailbox(db, account);
  const credential = await toSignInError(findCredential(mailbox, attempt.password));
  if (!mailbox || !credential)
    throw new SignInError("wrong_credentials", "The address or password is incorrect");

  await forgetAttempt(db, counted);
  requireSignInAllowed(mailbox, { kind: credential.kind, service: attempt.service });
  if (attempt.service !== "account") await rememberNetwork(db, account, attempt.clientAddress);
  if (credential.kind === "app_password")
    await recordAppPasswordUse(db, credential.id, {
      usedFor: attempt.service,
      from: attempt.clientAddress,
    });
  const { address, companyId, domainId, name, policy } = mailbox;
  const { forcePasswordChange, isProviderRequired } = mailbox;
  return {
    ...{ address, companyId, domainId, name, forcePasswordChange, isProviderRequired, policy },
    credential: credential.kind,
  };
}

type Credential = { kind: "password" } | { kind: "app_password"; id: string };

async function findCredential(
  mailbox: KnownMailbox | null,
  password: string,
): Promise<Credential | null> {
  const hash = Buffer.from(hashAppPassword(password), "hex");
  const matching = mailbox?.appPasswords.filter(({ secretHash }) =>
    timingSafeEqual(Buffer.from(secretHash, "hex"), hash),
  );
  if (matching?.[0]) return { kind: "app_password", id: matching[0].id };
  const isRight = await verifyPassword(password, mailbox?.passwordHash ?? null);
  return isRight ? { kind: "password" } : null;
}

/** The throttle throws API errors. */
async function toSignInError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { retryAfterSeconds } = error;
    throw new SignInError("too_many_attempts", error.message, { retryAfterSeconds });
  }
}
