import { sql } from "drizzle-orm";

import { hashPassword } from "#server/core/access/admins/password.ts";
import { config } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { personAccount } from "#server/core/access/second-factors/factor-owner.ts";
import { hasSecondFactor } from "#server/core/access/second-factors/get-factors.ts";
import { lockFactors } from "#server/core/access/second-factors/lock-factors.ts";
import { clearFactors } from "#server/core/access/second-factors/remove-factor.ts";
import { guardGuess } from "#server/core/access/sign-in/guard-guess.ts";
import {
  endStep,
  findStep,
  newToken,
  type Step,
  startStep,
} from "#server/core/access/sign-in/steps.ts";
import { normalizeAccount, countAttempt } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { confirmAddress, isAddressConfirmed, isHosted } from "./confirm-address.ts";
import { findPerson } from "./find-person.ts";
import { auditInEachCompany } from "./audit-in-each-company.ts";
import { requireGoodPassword, setPersonPassword } from "./internal/set-password.ts";

const MAILED = "password_reset";
const AT_SERVER = "password_reset_at_server";
const RESET_MINUTES = 60;
/** Open links per person, so that requests can't flood a mailbox. */
const LINKS_MAX = 3;

/**
 * Requests a password reset link. A job looks up the address and sends the link, so that known and unknown
 * addresses take the same time.
 *
 * @throws Refusal `rate_limit_exceeded`
 */
export async function requestPasswordReset(
  db: Db,
  { email: typed, clientAddress }: { email: string; clientAddress: string },
): Promise<void> {
  const email = normalizeAccount(typed);
  await countAttempt(db, { account: `reset ${email}`, clientAddress, passwordMark: null });
  await enqueue(db, "send_reset_link", { email });
}

/**
 * Creates a single-use password reset link that is valid for an hour. The token is in the fragment, which
 * browsers don't send, so it isn't logged.
 *
 * @param isMailed whether the link is only sent to the person's address
 */
export async function createResetLink(
  db: Db,
  email: string,
  { isMailed }: { isMailed: boolean },
): Promise<string> {
  const token = newToken();
  const kind = isMailed ? MAILED : AT_SERVER;
  await startStep(db, { token, kind, email, secret: null, minutes: RESET_MINUTES });
  return `${config().baseUrl}/console/reset-password#${token}`;
}

/** Invalidates a link that could not be emailed. */
export async function deleteResetLink(db: Db, link: string): Promise<void> {
  await endStep(db, new URL(link).hash.slice(1), MAILED);
}

/** Whether the person has the maximum number of open links. */
export async function hasMaxResetLinks(db: Db, email: string): Promise<boolean> {
  const [counted] = await db.execute<{ links: number }>(sql`
    select count(*)::int as links from sign_in_steps
    where email = ${email} and kind = ${MAILED} and expires_at > clock_timestamp()`);
  return counted!.links >= LINKS_MAX;
}

type Guess = { token: string; clientAddress: string };

/**
 * Reads a reset link: its address, and whether the person's second factors survive its use.
 *
 * @throws Refusal `not_found` for a link that was used, expired or never existed; `rate_limit_exceeded`
 */
export async function readResetLink(
  db: Db,
  guess: Guess,
): Promise<{ email: string; keepsFactors: boolean }> {
  const step = await requireLink(db, guess);
  return { email: step.email, keepsFactors: await keepsFactors(db, step) };
}

/** An emailed link to an address on this server keeps them too, because an admin here may have let others read its mail. */
const keepsFactors = async (db: Db, { kind, email }: Step): Promise<boolean> =>
  kind !== MAILED || (await isAddressConfirmed(db, email)) || (await isHosted(db, email));

async function requireLink(db: Db, { token, clientAddress }: Guess): Promise<Step> {
  const look = () => findStep(db, token, MAILED, AT_SERVER);
  const found = await guardGuess(db, { what: "reset", clientAddress }, look);
  if (found && (await findPerson(db, found.email))) return found;
  throw linkExpired();
}

const linkExpired = () =>
  new Refusal("not_found", "This link has expired or was already used. Request a new one");

/**
 * Sets a new password through a reset link and ends all the person's sessions. Second factors stay, unless an emailed
 * link confirms the address for the first time: then they may have been set up by someone else. At an address on this
 * server they stay nevertheless, and the address stays unconfirmed until they are removed.
 *
 * @throws Refusal `not_found` as `readResetLink`; `invalid` for a weak password, which leaves the link valid
 */
export async function resetPassword(
  db: Db,
  { password, ...guess }: Guess & { password: string },
): Promise<void> {
  const step = await requireLink(db, guess);
  const { email, kind } = step;
  await requireGoodPassword(db, email, password);
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    // Lock the person first, in the same order as changes to factors do.
    const factors = await lockFactors(tx, personAccount(email));
    if (!(await endStep(tx, guess.token, kind))) throw linkExpired();
    const keeps = hasSecondFactor(factors) && (await keepsFactors(tx, step));
    const addressConfirmed = kind === MAILED && !keeps && (await confirmAddress(tx, email));
    if (addressConfirmed && (await clearFactors(tx, personAccount(email))))
      await auditInEachCompany(tx, { email }, "second_factor.all_removed", { email });
    const details = { addressConfirmed };
    await setPersonPassword(tx, email, { passwordHash, by: "link", details });
  });
}
