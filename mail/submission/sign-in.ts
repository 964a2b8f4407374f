import { randomUUID } from "node:crypto";

import {
  authenticateKey,
  isKeyToken,
  type KeyCaller,
  requireNoOverdueInvoice,
} from "#server/core/access/api-keys/authenticate-key.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  authenticateMailbox,
  findAccount,
  SignInError,
} from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import {
  isKnownNetwork,
  sourceNetwork,
  countAttempt,
} from "#server/core/access/sign-in/throttle.ts";
import { passwordMark } from "#server/core/access/sign-in/verify-password.ts";
import { count } from "#server/core/platform/monitoring/counters.ts";
import { findSubmitter, type Submitter } from "#server/core/mail/submission/submitter.ts";
import type { Db } from "#server/db/client.ts";
import { SignInSlots } from "#mail/policy/sign-in-slots.ts";

import { signInReply } from "./error-reply.ts";

/** With this user name, the password is always treated as an API key. */
const KEY_USER = "posthouse";

/** Shared by both listeners. */
const turns = new SignInSlots();

/**
 * Signs in a mail app or a program (RFC 4954).
 *
 * @throws SmtpReply when the credentials are rejected
 */
export async function signInClient(
  db: Db,
  credentials: { username: string; password: string; clientAddress: string },
): Promise<SessionUser> {
  try {
    const user =
      isKeyToken(credentials.password) || credentials.username.trim().toLowerCase() === KEY_USER
        ? await signInWithKey(db, credentials)
        : await signInToMailbox(db, credentials);
    count("posthouse_sign_ins_total", { service: "submission", result: "succeeded" });
    return user;
  } catch (error) {
    count("posthouse_sign_ins_total", { service: "submission", result: "failed" });
    if (error instanceof SignInError || error instanceof Refusal) throw signInReply(error);
    throw error;
  }
}

async function signInToMailbox(
  db: Db,
  { username: typed, ...shown }: { username: string; password: string; clientAddress: string },
): Promise<SessionUser> {
  const username = await findAccount(db, typed);
  const credentials = { username, ...shown };
  // Read before the password check: if the password changes in between, the session becomes invalid.
  const submitter = await findSubmitter(db, username, { isLocked: false });
  const { address } = await withSignInSlot(db, credentials, () =>
    authenticateMailbox(db, { ...credentials, service: "smtp" }),
  );
  const { companyId = null, credentialsVersion = "" } = submitter ?? {};
  return { kind: "mailbox", address, companyId, credentialsVersion };
}

/**
 * Limits concurrent attempts per network as for Dovecot: pending attempts count as failures, and a whole
 * office may share one IP address.
 */
async function withSignInSlot<Result>(
  db: Db,
  { username, clientAddress }: { username: string; clientAddress: string },
  work: () => Promise<Result>,
): Promise<Result> {
  if (await isKnownNetwork(db, username, clientAddress)) return work();
  const turn = randomUUID();
  await turns.acquire(sourceNetwork(clientAddress), turn);
  try {
    return await work();
  } finally {
    turns.release(turn);
  }
}

async function signInWithKey(
  db: Db,
  { password: token, clientAddress }: { password: string; clientAddress: string },
): Promise<SessionUser> {
  try {
    return { kind: "key", token, key: await requireKey(db, { token, clientAddress }) };
  } catch (error) {
    if (error instanceof Refusal && error.reason === "invalid_api_key")
      await countWrongKey(db, { token, clientAddress });
    throw error;
  }
}

/**
 * Loads and checks the key.
 *
 * @throws Refusal
 */
export async function requireKey(
  db: Db,
  { token, clientAddress }: { token: string; clientAddress: string },
) {
  const key = await authenticateKey(db, { token, address: clientAddress });
  requireNoOverdueInvoice(key);
  return key;
}

/**
 * Counts wrong keys per source network, each as a separate account, so that no client can lock out others.
 * Valid keys always work, since keys cannot be guessed.
 */
async function countWrongKey(
  db: Db,
  { token, clientAddress }: { token: string; clientAddress: string },
): Promise<void> {
  const account = `${KEY_USER} from ${sourceNetwork(clientAddress)}`;
  await countAttempt(db, { account, clientAddress, passwordMark: passwordMark(account, token) });
}

/** The signed-in user of a connection. */
export type SessionUser =
  | ({ kind: "mailbox"; companyId: string | null } & Pick<
      Submitter,
      "address" | "credentialsVersion"
    >)
  /** Its messages become emails of the API. */
  | {
      kind: "key";
      key: KeyCaller;
      /** Checked again for each message, since the key may have been revoked. */
      token: string;
    };

/** Null if the mailbox no longer exists. */
export const sessionCompanyId = (user: SessionUser): string | null =>
  user.kind === "key" ? user.key.companyId : user.companyId;
