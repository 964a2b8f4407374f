import { count } from "#server/core/platform/monitoring/counters.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  endAccountSession,
  findAccountUser,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/authenticate-mailbox.ts";
import { SignInError } from "#server/core/access/sign-in/sign-in-error.ts";
import type { Db } from "#server/db/client.ts";

type Attempt = { username: string; password: string; clientAddress: string };

/**
 * Signs a mailbox user in at `/account` and ends the browser's previous session.
 *
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `wrong_credentials`, `rate_limit_exceeded`; `not_allowed` if the password is right but
 *   sign-in isn't permitted
 */
export async function signInAtAccount(
  db: Db,
  attempt: Attempt,
  browser: { cookieHeader: string; userAgent: string | null },
): Promise<string> {
  const authenticating = authenticateMailbox(db, { ...attempt, service: "account" });
  const countResult = (result: string) =>
    count("posthouse_sign_ins_total", { service: "account", result });
  authenticating.then(
    () => countResult("succeeded"),
    () => countResult("failed"),
  );
  const { address } = await toRefusal(authenticating);
  const before = await findAccountUser(db, browser.cookieHeader);
  if (before) await endAccountSession(db, before.sessionId);
  return startAccountSession(db, address, {
    clientAddress: attempt.clientAddress,
    userAgent: browser.userAgent,
  });
}

/** Converts sign-in errors, which are worded for mail protocols, to API errors. */
export async function toRefusal<T>(signingIn: Promise<T>): Promise<T> {
  try {
    return await signingIn;
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    const { message, retryAfterSeconds } = error;
    const text = message.replace(/\.$/, "");
    if (error.why === "wrong_credentials") throw new Refusal("wrong_credentials", text);
    if (error.why === "too_many_attempts")
      throw new Refusal("rate_limit_exceeded", text, { retryAfterSeconds });
    throw new Refusal("not_allowed", text);
  }
}
